// A list of passages of which only those near the view exist: a document of ten megabytes scrolls as a short one does.

import { renderPassage } from "./render.js";

const LINE = 33; // pixels, by page.css
const NEAR = 600; // pixels above and below the view that are kept ready

export class PassageList {
  constructor(scroller, sizer, load, changed) {
    Object.assign(this, { scroller, sizer, load, changed });
    this.document = null;
    this.shown = new Map(); // index -> { element, passage }
    this.asked = null;
    scroller.addEventListener("scroll", () => this.schedule(), { passive: true });
    new ResizeObserver(() => this.schedule()).observe(scroller);
  }

  open(number, starts) {
    this.document = number;
    this.starts = starts;
    const perLine = Math.max(20, this.sizer.clientWidth / 8.2);
    this.heights = starts.slice(1).map((end, index) => (Math.ceil((end - starts[index]) / perLine) + 1) * LINE);
    this.sum();
    this.clear();
    this.scroller.scrollTop = 0;
    this.update();
  }

  // Forget what is shown, and load it anew.
  clear() {
    for (const { element } of this.shown.values()) element.remove();
    this.shown.clear();
  }

  sum() {
    let top = 0;
    this.tops = this.heights.map((height) => (top += height) - height);
    this.total = top;
    this.sizer.style.height = `${top}px`;
  }

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.update();
    });
  }

  indexAt(pixel) {
    let low = 0;
    let high = this.tops.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= pixel) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  update() {
    if (this.document === null) return;
    const top = this.scroller.scrollTop;
    const first = this.indexAt(top - NEAR);
    const last = this.indexAt(top + this.scroller.clientHeight + NEAR);
    for (const [index, { element }] of this.shown) {
      if ((index < first || index > last) && !element.contains(document.activeElement)) {
        element.remove();
        this.shown.delete(index);
      }
    }
    for (let index = first; index <= last; index += 1) if (!this.shown.has(index)) this.add(index);
    this.changed(this.starts[this.indexAt(top + this.scroller.clientHeight / 3)]);
  }

  add(index) {
    const element = document.createElement("div");
    element.className = "passage waiting";
    element.style.top = `${this.tops[index]}px`;
    element.style.height = `${this.heights[index]}px`;
    element.textContent = "…";
    const entry = { element, passage: null };
    const following = [...this.shown.keys()].filter((other) => other > index).sort((a, b) => a - b)[0];
    this.sizer.insertBefore(element, following === undefined ? null : this.shown.get(following).element);
    entry.ready = this.load(this.document, index).then(
      (passage) => {
        entry.passage = passage;
        if (this.shown.get(index) === entry) this.render(index);
      },
      () => {
        if (this.shown.get(index) === entry) this.shown.delete(index);
        element.remove();
      },
    );
    this.shown.set(index, entry);
    return entry;
  }

  render(index) {
    const { element, passage } = this.shown.get(index);
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.end : null;
    element.className = "passage";
    element.style.height = "";
    element.replaceChildren(renderPassage(passage, this.asked));
    if (focused) element.querySelector(`[data-end="${focused}"]`)?.focus();
    this.measure(index, element.offsetHeight);
  }

  // What lies in view stays where it is when something above it turns out higher or lower than was thought.
  measure(index, height) {
    const change = height - this.heights[index];
    if (!change) return;
    const above = this.tops[index] + this.heights[index] <= this.scroller.scrollTop;
    this.heights[index] = height;
    this.sum();
    for (const [other, { element }] of this.shown) element.style.top = `${this.tops[other]}px`;
    if (above) this.scroller.scrollTop += change;
    this.schedule();
  }

  // Bring a place into the middle of the view.
  async reveal(index, end) {
    const before = this.asked;
    this.asked = end;
    for (const [shown, entry] of this.shown) {
      if (entry.passage && (shown === index || entry.element.querySelector(`[data-end="${before}"]`))) this.render(shown);
    }
    const view = this.scroller.scrollTop;
    if (this.tops[index] + this.heights[index] < view || this.tops[index] > view + this.scroller.clientHeight) {
      this.scroller.scrollTop = this.tops[index];
    }
    for (let attempt = 0; attempt < 4; attempt += 1) {
      this.update();
      const entry = this.shown.get(index);
      await entry.ready;
      const mark = entry.element.querySelector(`[data-end="${end}"]`);
      if (!mark) return;
      const wanted = this.tops[index] + mark.offsetTop - this.scroller.clientHeight * 0.42;
      const now = Math.max(0, Math.min(wanted, this.total - this.scroller.clientHeight));
      if (Math.abs(this.scroller.scrollTop - now) < 2) return;
      this.scroller.scrollTop = now;
      this.update();
      await Promise.all([...this.shown.values()].map((shown) => shown.ready));
    }
  }

  goTo(share) {
    this.scroller.scrollTop = share * Math.max(0, this.total - this.scroller.clientHeight);
    this.update();
  }

  // Take over labels that changed, here or elsewhere.
  apply(changes) {
    for (const [index, { passage }] of this.shown) {
      if (!passage) continue;
      let touched = false;
      for (const [end, label] of changes) {
        if (end <= passage.start || end > passage.end) continue;
        const place = passage.places.find((each) => each[0] === end);
        if (place) place[4] = label;
        else passage.places.push([end, "own", 0, false, label]);
        touched = true;
      }
      if (!touched) continue;
      passage.places = passage.places.filter(([, kind, , , label]) => kind !== "own" || label !== null);
      passage.places.sort((a, b) => a[0] - b[0]);
      this.render(index);
    }
  }

  find(end) {
    for (const { passage } of this.shown.values()) {
      const place = passage?.places.find((each) => each[0] === end);
      if (place) return { passage, place };
    }
    return null;
  }

  entryOf(element) {
    return [...this.shown.values()].find((entry) => entry.element.contains(element));
  }
}
