"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (selector, within = document) => within.querySelector(selector);
const make = (tag, text, className = "") => Object.assign(document.createElement(tag), { textContent: text, className });

// ------------------------------------------------------------------------------------------------- what is behind a number

addEventListener("click", ({ target }) => {
  const button = target.closest("[data-cell]");
  if (button) show(button);
  if (target === $("#lineage")) $("#lineage").close();   // outside of what is in it
});

function show(button) {
  const cell = button.closest("td");
  const row = cell.parentElement;
  const header = cell.closest("table").tHead.rows[0].cells[cell.cellIndex].textContent;
  $("#lineage-title").textContent = `${row.cells[0].textContent.trim()}, ${header.trim()}: ${button.textContent}`;
  const behind = data.cells[button.dataset.cell];
  const runs = new Map();
  for (const [value, seed, low, high, places] of behind) {
    const interval = low === null ? "" : ` [${low.toPrecision(5)}, ${high.toPrecision(5)}]`;
    const number = `${Number(value.toPrecision(7))}${interval}${seed === null ? "" : `, seed ${seed}`}`;
    const said = places.length > 1 ? `${difference(places)}: ${number}` : number;
    for (const place of places) runs.set(place, [...(runs.get(place) ?? []), said]);
  }
  const what = behind.some(([, , , , places]) => places.length > 1) ? "difference" : "measurement";
  $("#lineage-about").textContent = `From ${counted(behind.length, what)} of ${counted(runs.size, "run")}:`;
  $("#lineage-runs").replaceChildren(...[...runs].map(([place, said]) => showRun(data.runs[place], said)));
  $("#lineage").showModal();
  $("#lineage").scrollTop = 0;
}

function counted(number, what) {
  return `${number} ${what}${number > 1 ? "s" : ""}`;
}

/** Say what was taken from what: a number of several runs is a difference, and the first is what the others are taken from. */
function difference(places) {
  const [one, other] = places.map((place) => data.runs[place].folder.replace(/^.*\/runs\/|^.*\/(?=(ensembles|trivial)\/)/, ""));
  return places.length > 2 ? `Difference of means over these ${places.length} runs` : `${one} minus ${other}`;
}

function showRun(run, said) {
  const card = $("#run").content.firstElementChild.cloneNode(true);
  $("h3", card).textContent = run.folder;
  $(".origin", card).textContent = run.packed ? "From records.zip of the study." : "Run here.";
  $(".read", card).textContent = said.join("; ");
  draw(run.curve, $("svg", card), $(".curve", card));
  $(".parts", card).append(...run.parts.map((place) => {
    const [heading, lines] = data.blocks[place];
    const part = make("details", "");
    const list = make("ul", "");
    list.append(...lines.map((line) => make("li", line)));
    part.append(make("summary", heading), list);
    return part;
  }));
  if (run.missing) $(".missing", card).textContent = `Not there: ${run.missing}.`;
  else $(".missing", card).remove();
  $("code", card).textContent = `python -m seqpre.trace ${run.folder}`;
  return card;
}

/** Draw scores against updates, or the logarithm of perplexity where nothing was scored. */
function draw(curve, picture, caption) {
  if (curve.length < 2) { picture.remove(); caption.remove(); return; }
  const scored = curve.every(([, , score]) => score !== null);
  const values = curve.map(([, perplexity, score]) => (scored ? score : Math.log(perplexity)));
  const [least, most, last] = [Math.min(...values), Math.max(...values), curve.at(-1)[0]];
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  line.setAttribute("points", curve.map(([step], place) =>
    `${(4 + (292 * step) / last).toFixed(1)},${(84 - (78 * (values[place] - least)) / (most - least || 1)).toFixed(1)}`).join(" "));
  picture.append(line);
  const shown = (place) => (scored ? values[place] : curve[place][1]).toFixed(2);
  caption.textContent = `${scored ? "Greedy validation score" : "Validation perplexity (logarithmic)"} from ` +
    `${shown(0)} after ${curve[0][0].toLocaleString("en")} updates to ${shown(curve.length - 1)} after ${last.toLocaleString("en")}.`;
  picture.setAttribute("aria-label", caption.textContent);
}

// --------------------------------------------------------------------------------------------------------------- on paper

// What is folded is printed, too, and folded again afterwards.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((part) => { part.open = true; });
});
addEventListener("afterprint", () => folded.forEach((part) => { part.open = false; }));
