// F1 on the dev documents over the number of labels.

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [260, 130, 34, 14, 14, 22];

export function drawChart(target, score, curve) {
  if (!curve.length) {
    score.textContent = "";
    target.innerHTML = '<p class="soft">Start with <code>--dev CORPUS</code> to see here how F1 grows with the labels.</p>';
    return;
  }
  const scores = curve.map(({ f1 }) => 100 * f1);
  const most = Math.max(...curve.map(({ labels }) => labels), 10);
  const low = Math.floor(Math.min(...scores) - 0.5);
  const high = Math.min(100, Math.ceil(Math.max(...scores) + 0.2));
  const x = (labels) => LEFT + ((WIDTH - LEFT - RIGHT) * labels) / most;
  const y = (score) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - score)) / Math.max(high - low, 1e-9);
  const points = curve.map(({ labels }, index) => [x(labels), y(scores[index])]);
  const latest = scores[scores.length - 1].toFixed(2);
  const gain = scores[scores.length - 1] - scores[0];
  const change = curve.length > 1 ? `, ${gain < 0 ? "−" : "+"}${Math.abs(gain).toFixed(2)}` : "";
  score.innerHTML = `<b>${latest}</b>F1 on the dev documents${change}`;
  target.innerHTML = `
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="F1 on the dev documents: ${latest} percent after ${curve[curve.length - 1].labels} labels, ${scores[0].toFixed(2)} before">
      <path class="axis" fill="none" d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}M${LEFT} ${TOP}H${WIDTH - RIGHT}"/>
      <text x="${LEFT - 5}" y="${TOP + 4}" text-anchor="end">${high}</text>
      <text x="${LEFT - 5}" y="${HEIGHT - BOTTOM + 3}" text-anchor="end">${low}</text>
      <text x="${LEFT}" y="${HEIGHT - 6}">0</text>
      <text x="${WIDTH - RIGHT}" y="${HEIGHT - 6}" text-anchor="end">${most} labels</text>
      <polyline class="line" points="${points.map((point) => point.join(",")).join(" ")}"/>
      ${points.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="3"/>`).join("")}
    </svg>`;
}
