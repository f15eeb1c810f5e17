"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const PAGE = 20;           // items shown at a time
const LONG = 900;          // characters from which on a text gets a scroll bar
const MARKS = ["repeated", "copied", "inserted", "deleted", "replaced"];
const EDITS = MARKS.slice(2);
const $ = (selector, within = document) => within.querySelector(selector);
const number = (value) => value.toLocaleString("en");

let found = [];
let shown = 0;

const chosen = () => ({
  first: Number($("#first").value), second: Number($("#second").value), metric: Number($("#metric").value),
});

function difference(item, { first, second, metric }) {
  return Math.round(10 * (item.outputs[first].scores[metric] - item.outputs[second].scores[metric])) / 10;
}

// -------------------------------------------------------------------------------------------------------------- finding

function find() {
  const choice = chosen();
  const both = (item) => [item.outputs[choice.first], item.outputs[choice.second]];
  const words = $("#search").value.trim().toLowerCase();
  const matches = (item) =>
    (!$("#repeated").checked || both(item).some((output) => output.repeated.length)) &&
    (!$("#copied")?.checked || both(item).some((output) => output.copied.length)) &&
    (!$("#edited")?.checked || both(item).some((output) => EDITS.some((kind) => output[kind].length))) &&
    (!words || [item.source, item.reference, ...both(item).map(({ text }) => text)].some((text) => text.toLowerCase().includes(words)));
  found = data.items.filter(matches);
  const sign = { first: -1, second: 1, line: 0 }[$("#order").value];
  if (sign) found.sort((one, other) => sign * (difference(one, choice) - difference(other, choice)) || one.line - other.line);
  const signs = found.map((item) => Math.sign(difference(item, choice)));
  const count = (wanted) => number(signs.filter((value) => value === wanted).length);
  $("#result").textContent = `${number(found.length)} items. ${data.systems[choice.first]} scores higher in ${count(1)}, ` +
    `${data.systems[choice.second]} in ${count(-1)}, both the same in ${count(0)}.`;
  $("#items").replaceChildren();
  shown = 0;
  more();
}

function more() {
  const next = found.slice(shown, shown + PAGE);
  $("#items").append(...next.map(makeItem));
  shown += next.length;
  $("#more").hidden = shown >= found.length;
  $("#more").textContent = `Show more (${number(found.length - shown)} left)`;
}

// -------------------------------------------------------------------------------------------------------------- showing

function makeItem(item) {
  const choice = chosen();
  const card = $("#item").content.firstElementChild.cloneNode(true);
  const gain = difference(item, choice);
  $("h2", card).textContent = `No. ${number(item.line)}`;
  $(".difference", card).textContent = gain
    ? `${data.systems[choice.first]} ${gain > 0 ? "+" : "−"}${Math.abs(gain).toFixed(1)} ${data.metrics[choice.metric]}`
    : `the same ${data.metrics[choice.metric]}`;
  $(".difference", card).classList.add(gain > 0 ? "better" : gain < 0 ? "worse" : "muted");
  $(".grid", card).classList.toggle("tall", item.source.length > LONG);
  const system = (place) => makePart(data.systems[place], data.languages[1], item.outputs[place], choice.metric);
  $(".grid", card).append(
    makePart("Source", data.languages[0], { text: item.source }), makePart("Reference", data.languages[1], { text: item.reference }),
    system(choice.first), system(choice.second));
  const others = data.systems.map((_, place) => place).filter((place) => place !== choice.first && place !== choice.second);
  if (!others.length) $(".others", card).remove();
  else {
    $(".others summary", card).textContent = `${others.length} other system${others.length > 1 ? "s" : ""}`;
    $(".others", card).addEventListener("toggle", () => $(".others .grid", card).append(...others.map(system)), { once: true });
  }
  return card;
}

function makePart(name, language, output, metric) {
  const part = $("#part").content.firstElementChild.cloneNode(true);
  $(".name", part).textContent = name;
  if (output.scores) $(".score", part).textContent = `${data.metrics[metric]} ${output.scores[metric].toFixed(1)}`;
  const text = $(".text", part);
  text.lang = language;
  text.append(...marked(output));
  if (output.text.length > LONG) {
    text.classList.add("long");
    text.tabIndex = 0;
    text.setAttribute("role", "group");
    text.setAttribute("aria-label", name);
  }
  return part;
}

/** Return the text in pieces, marked where it repeats, copies or corrects. Spans count characters, not UTF-16 units. */
function marked({ text, ...spans }) {
  const characters = [...text];
  const known = MARKS.filter((kind) => spans[kind]);
  const cuts = [...new Set([0, characters.length, ...known.flatMap((kind) => spans[kind].flat())])].sort((one, other) => one - other);
  const within = (kind, place) => spans[kind].some(([start, end]) => start <= place && place < end);
  return cuts.slice(0, -1).map((start, place) => {
    const piece = characters.slice(start, cuts[place + 1]).join("");
    const kinds = known.filter((kind) => within(kind, start));
    if (!kinds.length) return piece;
    const mark = document.createElement(kinds.includes("deleted") ? "del" : "mark");
    mark.className = kinds.join(" ");
    mark.title = kinds.join(", ");
    mark.textContent = piece;
    return mark;
  });
}

// --------------------------------------------------------------------------------------------------------------- set-up

function fill(select, names, choice) {
  select.append(...names.map((name, place) => new Option(name, place, place === choice, place === choice)));
}

document.title = $("#title").textContent = data.title;
$("#about").textContent = data.items.length < data.total
  ? `${number(data.items.length)} of ${number(data.total)} items, drawn at random (seed ${data.seed}).`
  : `All ${number(data.total)} items.`;
$("#repeated-rule").textContent = data.repeated;
for (const kind of ["copied", "edits"]) {
  if (data[kind]) $(`#${kind}-rule`).textContent = data[kind];
  else document.querySelectorAll(`.of-${kind}`).forEach((part) => part.remove());
}
fill($("#first"), data.systems, 0);
fill($("#second"), data.systems, 1);
fill($("#metric"), data.metrics, 0);
$("#controls").addEventListener("change", find);
$("#search").addEventListener("input", find);
$("#controls").addEventListener("submit", (event) => event.preventDefault());
$("#more").addEventListener("click", () => {
  const last = $("#items").lastElementChild;
  more();
  last.nextElementSibling.tabIndex = -1;
  last.nextElementSibling.focus({ preventScroll: true });
});
find();
