// Opens pages in headless Chromium and prints, as one JSON array, what a person would trip over.
// node browser.mjs MODULES PAGE...   MODULES holds axe-core and puppeteer-core; a page may end in #…
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, ...pages] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const puppeteer = require("puppeteer-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const problems = [];

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
for (const given of pages) {
  const [file, hash] = given.split(/(?=#)/);
  const url = pathToFileURL(file).href;
  for (const scheme of ["light", "dark"]) {
    for (const width of [1280, 390, 360]) {
      const say = (what) => problems.push(`${given} (${scheme}, ${width} px): ${what}`);
      const page = await browser.newPage();
      page.on("console", (message) => say(`the browser says: ${message.text()}`));
      page.on("pageerror", (error) => say(`a script failed: ${error.message}`));
      page.on("dialog", (dialog) => { say("a script ran"); dialog.dismiss(); });
      page.on("request", (request) => {
        const asked = request.url().split("#")[0];
        const own = asked === url || (asked.startsWith(new URL("cases/", url).href) && asked.endsWith(".js"));
        if (!own) say(`it asks for ${asked}`);
      });
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.goto(url + (hash ?? ""));
      if (hash) await page.waitForSelector("#case[open] #case-body > *", { timeout: 5000 }).catch(() => say("no case was opened"));
      await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
      const seen = await page.evaluate(() => ({
        wide: Math.max(document.documentElement.scrollWidth, document.querySelector("#case-body")?.scrollWidth ?? 0),
        background: getComputedStyle(document.body).backgroundColor,
      }));
      if (seen.wide > width) say(`it is ${seen.wide} px wide`);
      if (seen.background === "rgba(0, 0, 0, 0)") say("its policy keeps its own style out");
      // Only what tests the page needs the policy out of the way.
      await page.setBypassCSP(true);
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      if (found.passes.length < 10) say("nothing was tested");
      for (const one of found.violations) say(`${one.id}: ${one.help}: ${one.nodes[0].html.slice(0, 200)}`);
      await page.close();
    }
  }
}
await browser.close();
console.log(JSON.stringify(problems));
