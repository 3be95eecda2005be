// Uses a report as a person with a keyboard does, and prints, as one JSON array, what did not happen.
// node keys.mjs MODULES PAGE   The page has 250 cases `c000` … of two variants, with three trials each.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, file] = process.argv.slice(2);
const puppeteer = createRequire(`${modules}/`)("puppeteer-core");
const url = pathToFileURL(file).href;
const problems = [];

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const page = await browser.newPage();
page.on("pageerror", (error) => problems.push(`a script failed: ${error.message}`));
const look = (read) => page.evaluate(read);
const check = async (what, read) => {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    if (await look(read)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  problems.push(what);
};
const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };

await page.goto(url);
await check("the page is ready", () => document.documentElement.dataset.ready === "true");
await press("j");
await check("j chooses the first case", () => document.activeElement.dataset.place === "0");
await press("j", "ArrowDown", "k");
await check("j, ↓ and k move the choice", () => document.activeElement.dataset.place === "1");
const first = await look(() => document.activeElement.textContent);
await press("Enter");
await check("Enter opens the case", () => document.getElementById("case").open && document.querySelector("#case-body .turn"));
await check("the address names the case", () => location.hash.startsWith("#case=c"));
if (await look(() => document.getElementById("case-title").textContent) !== first) problems.push("another case was opened");
const trial = () => document.querySelector("#case-trials .active")?.textContent;
const before = await look(trial);
await press("ArrowRight");
await check("→ shows another trial", () => new URLSearchParams(location.hash.slice(1)).has("trial"));
if (await look(trial) === before) problems.push("the trial's mark did not move");
await press("ArrowLeft", "j");
await check("j opens the next case", () => document.querySelector("#case-body .turn"));
if (await look(() => document.getElementById("case-title").textContent) === first) problems.push("j stayed on the case");
const variant = await look(() => document.querySelector("#case-variants .active").textContent);
await press("v");
await new Promise((resolve) => setTimeout(resolve, 100));
if (await look(() => document.querySelector("#case-variants .active").textContent) === variant) problems.push("v stayed on the variant");
await press("Escape");
await check("Escape closes the case", () => !document.getElementById("case").open && location.hash === "#cases");
await check("the choice has the focus again", () => document.activeElement.dataset.place === "2");
await press("/");
await check("/ goes to the search", () => document.activeElement.id === "search");
await page.keyboard.type("c24");
await check("a search narrows the list", () => document.getElementById("shown").textContent === "10 of 250 cases");
await page.evaluate(() => { const search = document.getElementById("search"); search.value = ""; search.dispatchEvent(new Event("input")); search.blur(); });
await page.select("#by-state", "regressed");
await check("a filter narrows the list", () => document.getElementById("shown").textContent === "50 of 250 cases");
await page.select("#by-state", "");
await page.select("#order", "id");
await press("?");
await check("? explains the keys", () => document.getElementById("help").open);
await press("Escape");
await page.click("#page-after");
await check("a page follows", () => document.querySelector("#rows a").textContent === "c100");

await page.goto("about:blank");
await page.goto(`${url}#case=c123&variant=a%26b&trial=2`);
await check("an address opens its trial", () => document.getElementById("case-title").textContent === "c123"
  && document.querySelector("#case-trials .active")?.textContent.includes("2")
  && document.querySelector("#case-variants .active")?.textContent.includes("a&b"));
await page.goto("about:blank");
await page.goto(`${url}#case=nobody`);
await check("an address of no case says so", () => document.getElementById("shown").textContent.includes("no case nobody"));
await browser.close();
console.log(JSON.stringify(problems));
