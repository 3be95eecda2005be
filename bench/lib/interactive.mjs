// How soon a report can be used, in headless Chromium: from the navigation until its list answers, and until a case is open.
// node interactive.mjs MODULES PAGE REPEAT
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, file, repeat] = process.argv.slice(2);
const puppeteer = createRequire(`${modules}/`)("puppeteer-core");
const url = pathToFileURL(file).href;
const found = [];

for (let at = 0; at < Number(repeat); at += 1) {
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  const page = await browser.newPage();
  await page.goto("about:blank");
  const start = performance.now();
  await page.goto(url, { waitUntil: "domcontentloaded" });
  await page.waitForFunction(() => document.documentElement.dataset.ready === "true", { polling: 5 });
  const ready = performance.now() - start;
  const before = performance.now();
  await page.click("#rows a");
  await page.waitForSelector("#case-body .turn");
  found.push({ ready_ms: ready, case_ms: performance.now() - before });
  await browser.close();
}
console.log(JSON.stringify(found));
