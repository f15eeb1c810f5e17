"use strict";
// A rating is {score: 1..5 or null, repeats: true or false}; an item has two, in the order in which they are shown.
const study = JSON.parse(document.getElementById("data").textContent);
const SLOT = `seqpre-ratings-${study.page}`;
const NAMES = ["A", "B"];
const $ = (selector, within = document) => within.querySelector(selector);

let state = fresh();
let chosen = 0;            // the output that keys act on
let kept = true;           // whether this browser keeps what is rated

function fresh() {
  const ratings = study.items.map(() => NAMES.map(() => ({ score: null, repeats: false })));
  return { rater: "", place: 0, exported: true, ratings };
}

const rated = (pair) => pair.every((one) => one.score !== null);
const countRated = () => state.ratings.filter(rated).length;

const isPair = (outputs) => Array.isArray(outputs) && outputs.length === NAMES.length && outputs.every(
  (one) => [null, 1, 2, 3, 4, 5].includes(one?.score) && typeof one.repeats === "boolean");
const isState = (value) => typeof value?.rater === "string" && typeof value.exported === "boolean"
  && Number.isInteger(value.place) && value.place in study.items
  && Array.isArray(value.ratings) && value.ratings.length === study.items.length && value.ratings.every(isPair);

// ------------------------------------------------------------------------------------------------ keeping and exchanging

/** Return the value of JSON, or null if the text is not JSON. */
function parsed(text) {
  try { return JSON.parse(text); } catch { return null; }
}

/** Continue from what this browser has saved. If that is damaged or from an older page, say so and keep the state. */
function load() {
  let text;
  try { text = localStorage.getItem(SLOT); } catch { kept = false; }
  if (!text) return;
  const found = parsed(text);
  if (isState(found)) state = found;
  else alertUser("The ratings saved in this browser are damaged. Start anew, or go on from an exported file.");
}

function save() {
  try {
    localStorage.setItem(SLOT, JSON.stringify(state));
    kept = localStorage.getItem(SLOT) !== null;
  } catch { kept = false; }
  $("#saved").textContent = kept ? "· saved" : "· NOT saved: export before you leave";
}

function exportRatings() {
  const content = {
    format: study.format, page: study.page, rater: state.rater, saved: new Date().toISOString(),
    ratings: state.ratings.map((outputs, place) => ({ item: place + 1, outputs })),
  };
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(content, null, 1)], { type: "application/json" }));
  link.download = `ratings-${state.rater.replace(/[^\p{L}\p{N}]+/gu, "-")}-${study.page.slice(0, 8)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  state.exported = true;
  save();
  const open = study.items.length - countRated();
  alertUser(open ? `Exported, but ${open} of ${study.items.length} items are not rated yet.` : "");
}

/** Return the state that an exported file holds; throw a sentence for the rater if it holds none. */
function parseRatings(text) {
  const content = parsed(text);
  if (content?.format !== study.format || !Array.isArray(content.ratings)) throw new Error("This file is not a file of ratings.");
  if (content.page !== study.page) throw new Error("These ratings were made on another page, for other outputs.");
  if (typeof content.rater !== "string" || !content.rater.trim()) throw new Error("This file does not name its rater.");
  const found = fresh();
  found.rater = content.rater;
  for (const entry of content.ratings) {
    const { item, outputs } = entry ?? {};
    const valid = isPair(outputs) && item - 1 in found.ratings;
    if (!valid) throw new Error(`This file is damaged${item ? ` at item ${item}` : ""}.`);
    found.ratings[item - 1] = outputs.map(({ score, repeats }) => ({ score, repeats }));
  }
  found.place = Math.max(0, found.ratings.findIndex((pair) => !rated(pair)));
  return found;
}

async function importRatings(file) {
  try {
    const found = parseRatings(await file.text());
    const count = countRated();
    if (count && !confirm(`Replace the ${count} items rated here by those of the file?`)) return;
    state = found;
    save();
    alertUser("");
    show();
  } catch (error) { alertUser(error.message); }
}

function alertUser(message) {
  $("#alert").textContent = message;
  $("#alert").hidden = !message;
}

// --------------------------------------------------------------------------------------------------------------- showing

function show() {
  const started = Boolean(state.rater);
  $("#intro").hidden = started;
  $("#study").hidden = $("#bar").hidden = !started;
  if (started) showItem();
}

function showItem() {
  const item = study.items[state.place];
  $("#document .text").textContent = item.document;
  $("#reference").textContent = item.reference;
  NAMES.forEach((_, place) => { $(".text", cards[place]).textContent = item.outputs[place]; });
  choose(0);
  showRatings();
  shorten(true);
  const last = study.items.length - 1;
  $("#heading").textContent = `Item ${state.place + 1} of ${study.items.length}`;
  $("#previous").disabled = state.place === 0;
  $("#next").disabled = state.place === last;
  document.title = `${state.place + 1}/${study.items.length} · ${study.title}`;
}

function showRatings() {
  state.ratings[state.place].forEach((rating, place) => {
    for (const radio of cards[place].querySelectorAll("[type=radio]")) radio.checked = Number(radio.value) === rating.score;
    $("[type=checkbox]", cards[place]).checked = rating.repeats;
  });
  const count = countRated();
  $("#count").textContent = `${count} rated`;
  $("#progress").value = count / study.items.length;
  $("#progress").textContent = `${count} of ${study.items.length}`;
  const done = count === study.items.length;
  $("#done").hidden = $("#finish").hidden = !done;
  $("#unrated").hidden = done;
  $("#who").textContent = state.rater;
}

/** On a small screen, show the beginning of a long document. */
function shorten(short) {
  const text = $("#document .text");
  text.classList.toggle("short", short);
  $("#whole").hidden = short && text.scrollHeight <= text.clientHeight + 4;
  $("#whole").textContent = short ? "Show the whole document" : "Show less";
  $("#whole").setAttribute("aria-expanded", String(!short));
}

function choose(place) {
  chosen = place;
  cards.forEach((card, other) => card.classList.toggle("chosen", other === place));
}

// ---------------------------------------------------------------------------------------------------------------- acting

function rate(place, change) {
  Object.assign(state.ratings[state.place][place], change);
  state.exported = false;
  save();
  showRatings();
}

function go(place) {
  if (place < 0 || place >= study.items.length) return;
  state.place = place;
  save();
  showItem();
  scrollTo(0, 0);
  $("#document .text").scrollTop = 0;
  $("#heading").focus({ preventScroll: true });
}

function goUnrated() {
  const order = study.items.map((_, step) => (state.place + 1 + step) % study.items.length);
  const place = order.find((other) => !rated(state.ratings[other]));
  if (place !== undefined) go(place);
}

function restart() {
  const warning = state.exported ? "" : " They have not been exported yet.";
  if (!confirm(`Remove the ratings of ${state.rater} from this browser?${warning}`)) return;
  state = fresh();
  save();
  show();
}

const KEYS = {
  a: () => focusOutput(0),
  b: () => focusOutput(1),
  r: () => rate(chosen, { repeats: !state.ratings[state.place][chosen].repeats }),
  n: () => go(state.place + 1),
  p: () => go(state.place - 1),
  u: goUnrated,
  enter: () => go(state.place + 1),
};
for (const score of [1, 2, 3, 4, 5]) {
  KEYS[score] = () => { rate(chosen, { score }); focusOutput(chosen); };
}

function focusOutput(place) {
  choose(place);
  ($("[type=radio]:checked", cards[place]) ?? $("[type=radio]", cards[place])).focus();
}

function pressed(event) {
  const typing = event.target.closest("input:not([type=radio], [type=checkbox]), dialog");
  const clicking = event.key === "Enter" && event.target.closest("button, summary");
  if ($("#study").hidden || typing || clicking || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const act = KEYS[event.key.toLowerCase()];
  if (act) { event.preventDefault(); act(); }
}

// --------------------------------------------------------------------------------------------------------------- set-up

function makeCard(name, place) {
  const card = $("#output").content.firstElementChild.cloneNode(true);
  $("h2", card).textContent = `Output ${name}`;
  $("h2", card).id = `output-${name}`;
  card.setAttribute("aria-labelledby", `output-${name}`);
  $("legend", card).textContent = `Score of output ${name}`;
  const scale = $(".scale", card);
  for (const score of [1, 2, 3, 4, 5]) {
    const label = document.createElement("label");
    label.innerHTML = `<input class="hidden-input" type="radio" name="score-${name}" value="${score}"><span>${score}</span>`;
    scale.append(label);
  }
  scale.addEventListener("change", (event) => rate(place, { score: Number(event.target.value) }));
  $("[type=checkbox]", card).addEventListener("change", (event) => rate(place, { repeats: event.target.checked }));
  card.addEventListener("focusin", () => choose(place));
  card.addEventListener("click", () => choose(place));
  $("#outputs").append(card);
  return card;
}

const cards = NAMES.map(makeCard);
document.title = $("#title").textContent = study.title;
$("[data-items]").textContent = study.items.length;
$("#document .text").lang = study.languages[0];
for (const part of [$("#reference"), ...cards.map((card) => $(".text", card))]) part.lang = study.languages[1];
$("#dialog div").append(...$("#instructions").cloneNode(true).children);

$("#start").addEventListener("submit", (event) => {
  event.preventDefault();
  state.rater = $("#rater").value.trim();
  if (state.rater) { save(); alertUser(""); show(); $("#heading").focus(); }
});
for (const button of document.querySelectorAll("[data-import]")) button.addEventListener("click", () => $("#file").click());
$("#file").addEventListener("change", async ({ target }) => { await importRatings(target.files[0]); target.value = ""; });
$("#export").addEventListener("click", exportRatings);
$("#finish").addEventListener("click", exportRatings);
$("#restart").addEventListener("click", restart);
$("#help").addEventListener("click", () => $("#dialog").showModal());
$("#previous").addEventListener("click", () => go(state.place - 1));
$("#next").addEventListener("click", () => go(state.place + 1));
$("#unrated").addEventListener("click", goUnrated);
$("#whole").addEventListener("click", () => shorten(!$("#document .text").classList.contains("short")));
document.addEventListener("keydown", pressed);
document.addEventListener("click", ({ target }) => {
  if (!target.closest("summary")) $("#menu").open = false;
});
addEventListener("resize", () => { if ($("#document .text").classList.contains("short")) shorten(true); });
// The page may be open twice: what one of them saves, the other shows, so that neither overwrites the other.
addEventListener("storage", (event) => { if (event.key === SLOT) { load(); show(); } });
addEventListener("beforeunload", (event) => { if (!kept && !state.exported) event.preventDefault(); });

load();
show();
