// Elements are made here and nowhere else: text from a run becomes a text node, never markup.
const own = document.currentScript;
const nonce = own.nonce;
const byId = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

// A name or a text from outside, set apart so that its direction of writing does not spread.
const outside = (text) => make("bdi", null, shown(text));

function drawn(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// Characters that hide, turn text around or steer a terminal stand as escapes, as everywhere in a report.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;
const shown = (text) => String(text).replace(HIDDEN, (char) => `\\u{${char.codePointAt(0).toString(16)}}`);

const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

function duration(ms) {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function cost(usd) {
  return `$${usd.toFixed(usd === 0 || usd >= 10 ? 2 : usd >= 0.01 ? 4 : 6)}`;
}

function percent(share) {
  let tenths = Math.round(share * 1000);
  if (share > 0 && share < 1) tenths = Math.min(999, Math.max(1, tenths));
  return `${tenths / 10}%`;
}
