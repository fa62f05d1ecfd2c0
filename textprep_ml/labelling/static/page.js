// The labelling page: the text, one question at a time, what the model has learned.

import { get, listen, post } from "./api.js";
import { drawChart } from "./chart.js";
import { PassageList } from "./list.js";
import { isBoundary, placeAt } from "./render.js";

const at = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");

const state = {
  documents: [],
  open: 0,
  question: null, // a row of the queue
  queue: [],
  past: [], // questions seen before, for Back
  skipped: new Set(),
  version: -1,
};

// What was decided in this tab, kept through a reload, for Undo.
const undoing = {
  read: () => JSON.parse(sessionStorage.getItem("decisions") ?? "[]"),
  write(decisions) {
    sessionStorage.setItem("decisions", JSON.stringify(decisions.slice(-200)));
    at("undo").disabled = !decisions.length;
  },
};

const list = new PassageList(
  at("scroller"),
  at("sizer"),
  (document, index) => get("passage", { document, index }),
  (position) => {
    const { length } = state.documents[state.open];
    at("where").textContent = `${Math.round((100 * position) / Math.max(1, length))} % of ${number.format(length)}`;
    if (document.activeElement !== at("position")) at("position").value = String(scrolled() * 1000);
  },
);

function scrolled() {
  const { scrollTop, scrollHeight, clientHeight } = at("scroller");
  return scrollTop / Math.max(1, scrollHeight - clientHeight);
}

// What is said about the state of things

function say(text, kind = "") {
  at("saved").className = kind;
  at("saved-text").textContent = text;
}

function warn(text) {
  at("banner").textContent = text;
  at("banner").hidden = !text;
}

function failed(error) {
  if (error.status === undefined) {
    say("No connection", "lost");
    warn("The server does not answer. What it had confirmed is safe: start textprep label again with the same --out, and this page goes on.");
  } else {
    warn(error.message);
  }
}

function showStatus(status) {
  state.version = status.version;
  at("n-labels").textContent = number.format(status.labels);
  state.file = status.file;
  say(`Saved in ${state.file}`);
  drawChart(at("chart"), at("score"), status.curve);
  at("retrain").disabled = status.training || !status.labels;
  at("training").hidden = !status.training;
  at("model").textContent = status.model ? `The retrained model is ${status.model}.` : "";
}

function countDoubtful(index, doubtful) {
  state.documents[index].doubtful = doubtful;
  if (index === state.open) at("n-doubtful").textContent = number.format(doubtful);
}

// Opening

async function start() {
  const overview = await get("overview");
  state.documents = overview.documents;
  state.skipped.clear();
  state.open = Math.min(state.open, overview.documents.length - 1);
  at("document").replaceChildren(
    ...overview.documents.map((each, index) => new Option(`${each.id} (${number.format(each.length)})`, index)),
  );
  showStatus(overview);
  warn("");
  undoing.write(undoing.read());
  openDocument(state.open);
  state.queue = [];
  await ask();
}

function openDocument(index) {
  state.open = index;
  at("document").value = String(index);
  list.open(index, state.documents[index].passages);
  countDoubtful(index, state.documents[index].doubtful);
}

// Asking

async function next() {
  const fresh = (row) => !state.skipped.has(keyOf(row));
  let row = state.queue.find(fresh);
  if (!row) {
    state.queue = await get("queue", { n: 200 });
    row = state.queue.find(fresh);
  }
  if (!row && state.queue.length) {
    state.skipped.clear();
    row = state.queue[0];
  }
  return row ?? null;
}

const keyOf = (row) => `${row.document}:${row.end}`;

async function ask(row) {
  row ??= await next();
  state.question = row;
  for (const id of ["yes", "no", "agree", "skip"]) at(id).disabled = !row;
  at("back").disabled = !state.past.length;
  if (!row) {
    at("asked").textContent = "Nothing is left to ask";
    at("context").textContent = "Every place has a label.";
    at("guess").textContent = "";
    at("reasons").replaceChildren();
    return;
  }
  at("asked").textContent = "Does a sentence end here?";
  showContext(row);
  showGuess(row);
  if (row.document !== state.open) openDocument(row.document);
  await list.reveal(row.passage, row.end);
}

function showContext(row) {
  const spot = document.createElement("span");
  spot.className = "spot";
  spot.textContent = "¦";
  const flat = (text) => text.replace(/\s+/gu, " ");
  at("context").replaceChildren(`… ${flat(row.left)} `, spot, ` ${flat(row.right)} …`);
}

async function showGuess(row) {
  const share = Math.round(100 * row.probability);
  at("reasons").replaceChildren();
  const verdict = row.is_boundary ? "it ends" : "it goes on";
  at("guess").textContent = `The model says: ${verdict} (${share} %).`;
  try {
    const reasons = await get("explain", { document: row.document, end: row.end });
    if (state.question !== row || !reasons.length) return;
    at("reasons").replaceChildren(
      ...reasons.map(([name, weight]) => {
        const item = document.createElement("li");
        item.textContent = `${weight > 0 ? "+" : "−"}${Math.abs(weight).toFixed(1)}  ${name}`;
        return item;
      }),
    );
  } catch {
    // reasons are nice to have
  }
}

// Deciding

async function decide(document, changes, { undoable = true } = {}) {
  say("Saving", "busy");
  try {
    const done = await post("decide", { document, changes });
    took(done);
    warn("");
    if (undoable) undoing.write([...undoing.read(), { document, changes }]);
    return true;
  } catch (error) {
    if (error.status === 409) {
      say("Not saved", "lost");
      list.clear();
      list.update();
      state.queue = [];
      warn("Nothing was changed: this place has been labelled in another tab meanwhile. It is shown as it is now.");
    } else {
      failed(error);
    }
    return false;
  }
}

// Labels changed, in this tab or in another one.
function took({ document, changes, version, labels, doubtful }) {
  if (version <= state.version) return;
  state.version = version;
  countDoubtful(document, doubtful);
  say(`Saved in ${state.file}`);
  at("n-labels").textContent = number.format(labels);
  at("retrain").disabled = !at("training").hidden || !labels;
  if (document === state.open) list.apply(changes);
  const settled = new Set(changes.filter(([, now]) => now !== null).map(([end]) => `${document}:${end}`));
  state.queue = state.queue.filter((row) => !settled.has(keyOf(row)));
}

// A key that was pressed while another question was shown says nothing about this one.
const isAsked = (row) => row && state.question && keyOf(row) === keyOf(state.question);

async function answerQuestion(row, label) {
  if (!isAsked(row)) return;
  const known = list.find(row.end)?.place[4] ?? null;
  if (known !== label && !(await decide(row.document, [[row.end, known, label]]))) return;
  state.past.push(row);
  await ask();
}

async function toggle(passage, end) {
  const place = passage.places.find((each) => each[0] === end);
  const was = place?.[4] ?? null;
  // An own boundary that is taken back leaves no label; a place of the model turns round.
  const now = place ? (place[1] === "own" ? null : !isBoundary(place)) : true;
  await decide(state.open, [[end, was, now]]);
}

async function undo() {
  const decisions = undoing.read();
  const last = decisions.pop();
  if (!last) return;
  const back = last.changes.map(([end, was, now]) => [end, now, was]);
  if (await decide(last.document, back, { undoable: false })) {
    const [end] = last.changes[0];
    const row = state.past.findLast((each) => each.document === last.document && each.end === end);
    if (row) {
      state.past.splice(state.past.lastIndexOf(row), 1);
      await ask(row);
    }
  }
  undoing.write(decisions);
}

async function skip(row) {
  if (!isAsked(row)) return;
  state.skipped.add(keyOf(row));
  state.past.push(row);
  await ask();
}

async function back() {
  const row = state.past.pop();
  if (row) await ask(row);
}

// Label what the paragraph with the question shows, up to the blank lines around it.
async function confirmParagraph(row) {
  const found = isAsked(row) && row.document === state.open && list.find(row.end);
  if (!found) return;
  const { passage } = found;
  const edges = passage.places.filter(([, kind]) => kind === "paragraph").map(([end]) => end);
  const first = Math.max(passage.start, ...edges.filter((end) => end < row.end));
  const last = Math.min(passage.end, ...edges.filter((end) => end >= row.end));
  const open = passage.places.filter(
    ([end, kind, , , label]) => kind !== "paragraph" && label === null && end > first && end <= last,
  );
  if (open.length && (await decide(state.open, open.map((place) => [place[0], null, isBoundary(place)])))) {
    state.past.push(row);
    await ask();
  }
}

async function retrain() {
  try {
    at("retrain").disabled = true;
    await post("retrain");
  } catch (error) {
    at("retrain").disabled = false;
    failed(error);
  }
}

function showProgress({ what, share }) {
  at("training").hidden = false;
  at("retrain").disabled = true;
  at("share").value = share;
  at("stage").textContent = `${what} …`;
}

async function trained({ problem, ...status }) {
  at("training").hidden = true;
  state.past = [];
  if (problem) {
    showStatus(status);
    warn(`The model could not be trained: ${problem}`);
    return;
  }
  const position = scrolled();
  await start();
  if (!state.question) list.goTo(position);
}

// Wiring

const actions = {
  yes: (row) => answerQuestion(row, true),
  no: (row) => answerQuestion(row, false),
  agree: (row) => answerQuestion(row, row?.is_boundary),
  skip,
  back,
  undo,
  paragraph: confirmParagraph,
  retrain,
};
const keys = { y: "yes", n: "no", Enter: "agree", s: "skip", b: "back", u: "undo", a: "paragraph", r: "retrain" };

// One action after another, each about the question that was shown when it was asked for. Until the next one is there,
// the question is marked as busy.
let turn = Promise.resolve();
let waiting = 0;
function act(action) {
  waiting += 1;
  at("question").ariaBusy = "true";
  const row = state.question;
  turn = turn
    .then(() => action(row))
    .catch(failed)
    .finally(() => {
      waiting -= 1;
      if (!waiting) at("question").ariaBusy = "false";
    });
}

for (const [id, action] of Object.entries(actions)) at(id).addEventListener("click", () => act(action));

document.addEventListener("keydown", (event) => {
  if (event.target.closest("select")) return;
  if ((event.ctrlKey || event.metaKey) && event.key === "z") {
    event.preventDefault();
    act(undo);
    return;
  }
  if (!at("keys").checked || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Enter" && event.target.closest("button, a, summary, input")) return;
  const id = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (id && !at(id).disabled) {
    event.preventDefault();
    act(actions[id]);
  }
});

at("sizer").addEventListener("click", (event) => {
  const entry = list.entryOf(event.target);
  if (!entry?.passage) return;
  const mark = event.target.closest(".mark");
  if (mark) {
    act(() => toggle(entry.passage, Number(mark.dataset.end)));
  } else if (!String(getSelection())) {
    const end = placeAt(entry.passage, event.clientX, event.clientY);
    if (end !== null) act(() => toggle(entry.passage, end));
  }
});

at("document").addEventListener("change", (event) => openDocument(Number(event.target.value)));
at("position").addEventListener("input", (event) => list.goTo(event.target.value / 1000));

const source = listen({
  hello: () => act(start),
  labels: took,
  progress: showProgress,
  trained: (status) => act(() => trained(status)),
});
source.addEventListener("error", () => failed({}));
