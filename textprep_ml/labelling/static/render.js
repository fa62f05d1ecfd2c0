// From a passage, as the server describes it, to elements. Positions count characters (code points), as the server
// does; strings in a browser count UTF-16 units, so texts are taken apart with Array.from first.

export const DOUBTFUL = [0.1, 0.9];

export function isBoundary([, , , decision, label]) {
  return label ?? decision;
}

export function isDoubtful([, kind, probability, , label]) {
  return label === null && kind !== "paragraph" && probability > DOUBTFUL[0] && probability < DOUBTFUL[1];
}

export function renderPassage(passage, asked) {
  const characters = Array.from(passage.text);
  const block = document.createElement("div");
  block.className = "text";
  block.dir = "auto";
  let sentence = newSentence(block, passage, 0);
  let from = 0;
  for (const place of passage.places) {
    const to = place[0] - passage.start;
    const boundary = isBoundary(place);
    const shown = place[1] !== "paragraph" && (boundary || isDoubtful(place) || place[4] !== null || place[0] === asked);
    if (!shown && !boundary) continue;
    const word = shown ? wordBefore(characters, from, to) : to;
    addText(sentence, characters, from, word);
    if (shown) sentence.append(together(piece(characters, word, to), renderMark(place, characters, to, asked)));
    if (boundary) sentence = newSentence(block, passage, sentence.dataset.number * 1 + 1);
    from = to;
  }
  addText(sentence, characters, from, characters.length);
  return block;
}

function newSentence(block, passage, number) {
  const sentence = document.createElement("span");
  sentence.className = `s ${(number + passage.index) % 2 ? "two" : "one"}`;
  sentence.dataset.number = number;
  block.append(sentence);
  return sentence;
}

// White space at the edges stays outside of the tint, as it is outside of the sentence.
function addText(sentence, characters, from, to) {
  let start = from;
  if (!sentence.childNodes.length) while (start < to && !characters[start].trim()) start += 1;
  if (start > from) sentence.before(piece(characters, from, start));
  if (start < to) sentence.append(piece(characters, start, to));
}

function piece(characters, from, to) {
  const element = document.createElement("span");
  element.dataset.from = from;
  element.textContent = characters.slice(from, to).join("");
  return element;
}

// A mark stays on the line of the word before it.
function together(...parts) {
  const element = document.createElement("span");
  element.className = "together";
  element.append(...parts);
  return element;
}

function wordBefore(characters, from, to) {
  let start = to;
  while (start > from && to - start < 24 && characters[start - 1].trim()) start -= 1;
  return start;
}

function renderMark(place, characters, to, asked) {
  const [end, , probability, , label] = place;
  const boundary = isBoundary(place);
  const mark = document.createElement("button");
  mark.type = "button";
  mark.className = "mark";
  mark.dataset.end = end;
  mark.classList.toggle("on", boundary);
  mark.classList.toggle("doubt", isDoubtful(place));
  mark.classList.toggle("sure", label !== null);
  mark.classList.toggle("asked", end === asked);
  mark.setAttribute("aria-pressed", String(boundary));
  const flat = (from, until) => characters.slice(from, until).join("").replace(/\s+/gu, " ").trim();
  const before = flat(Math.max(0, to - 12), to);
  const after = flat(to, to + 14);
  const state = label === null ? `${Math.round(100 * probability)} % by the model` : "labelled";
  mark.title = `${boundary ? "Boundary" : "No boundary"}, ${state}`;
  mark.setAttribute("aria-label", `Sentence ends between “${before}” and “${after}”, ${state}`);
  return mark;
}

// Where a click hits the text: a place between two words, or null.
export function placeAt(passage, x, y) {
  const caret = document.caretPositionFromPoint?.(x, y) ?? fromRange(document.caretRangeFromPoint?.(x, y));
  const span = caret?.offsetNode?.parentElement?.closest("[data-from]");
  if (!span) return null;
  const characters = Array.from(passage.text);
  const inside = Array.from(caret.offsetNode.data.slice(0, caret.offset)).length;
  return gapNear(characters, Number(span.dataset.from) + inside, passage.start);
}

function fromRange(range) {
  return range && { offsetNode: range.startContainer, offset: range.startOffset };
}

// The blanks next to a position, if there are any near; in text without blanks the position itself. The place is where
// the word before them ends.
export function gapNear(characters, position, start = 0) {
  const blank = (index) => index >= 0 && index < characters.length && !characters[index].trim();
  let found = position;
  for (let distance = 0; distance <= 24; distance += 1) {
    if (blank(position - distance)) { found = position - distance; break; }
    if (blank(position + distance)) { found = position + distance; break; }
  }
  while (blank(found - 1)) found -= 1;
  return found > 0 && found < characters.length ? start + found : null;
}
