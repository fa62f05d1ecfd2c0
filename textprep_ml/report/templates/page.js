"use strict";
(() => {
  const list = document.getElementById("list"), filter = document.getElementById("filter");
  if (list) {
    const items = [...list.children], count = document.getElementById("count");
    const texts = new Map(items.map((item) => [item, item.querySelector("blockquote").textContent.toLowerCase()]));
    const orders = {
      sure: (a, b) => b.dataset.sure - a.dataset.sure,
      unsure: (a, b) => (a.dataset.sure < 0) - (b.dataset.sure < 0) || a.dataset.sure - b.dataset.sure,
      order: (a, b) => a.dataset.order - b.dataset.order,
    };
    const choose = () => {
      const wanted = new FormData(filter), text = wanted.get("text").toLowerCase();
      let shown = 0;
      for (const item of items) {
        const fits = ["kind", "type", "corpus"].every((name) => !wanted.get(name) || item.dataset[name] === wanted.get(name));
        item.hidden = !fits || (wanted.get("baseline") && item.dataset.baseline !== "1") || !texts.get(item).includes(text);
        shown += !item.hidden;
      }
      list.append(...items.sort(orders[wanted.get("sort") || "order"]));
      count.textContent = shown === items.length ? `${shown} shown` : `${shown} of ${items.length} shown`;
    };
    filter.addEventListener("input", choose);
    filter.addEventListener("submit", (event) => event.preventDefault());
    for (const link of document.querySelectorAll("a[data-kind]")) {
      link.addEventListener("click", () => {
        filter.reset();
        filter.elements.kind.value = link.dataset.kind;
        choose();
      });
    }
    filter.hidden = false;
    choose();
  }

  const track = document.getElementById("track");
  if (track) {
    const rows = JSON.parse(track.textContent), mover = document.getElementById("mover");
    const slider = mover.querySelector("input"), output = mover.querySelector("output");
    const cursor = document.querySelector("#threshold-chart .cursor"), dot = document.querySelector("#recall-chart .here");
    const move = () => {
      const [at, x, y, figures] = rows[slider.value];
      cursor.setAttribute("transform", `translate(${at} 0)`);
      dot.setAttribute("transform", `translate(${x} ${y})`);
      output.textContent = figures;
      slider.setAttribute("aria-valuetext", figures);
    };
    slider.addEventListener("input", move);
    mover.hidden = false;
    move();
  }
})();
