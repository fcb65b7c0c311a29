#!/usr/bin/env python3
"""broch ui and broch run report in a headless Chromium.

  browser_test.py --program BROCH --pause PAUSE_SO [--screenshots FOLDER] [--store] [NAME…]

Runs all tests, or those named. Ends with 77 if there is no Chromium. Screenshots are for people to
look at. The views are compared with the small pictures in the folder pictures: look at the
screenshots after a change of the page, and store them anew with --store.
"""
import argparse
import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import browser
import runs

WIDTHS = (360, 800, 1400)
VIEWS = ("Runs", "Curves", "Images", "Histograms", "Texts", "Manifest", "Live")
FIRST_PAINT = 1.0  # seconds
# Of 200 runs of 100,000 points: seconds until all their curves are there, and at most so many
# seconds for a new picture of them, beside so many times what the lines alone cost.
ALL_CURVES, FLUID, SLOWER = 120, 0.5, 10
PICTURES = pathlib.Path(__file__).parent / "pictures"
SCALE = 0.2
# What another version of Chromium may change: parts of the whole range, and of the pixels. Two runs
# differ by 0.005 and 0.007; without the list of runs, a view differs by 0.12 and 0.3.
MEAN, FAR = 0.02, 0.04
TOKEN = "0123456789abcdef-token"
INK = """(canvas) => {
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let colored = 0;
  for (let i = 0; i < data.length; i += 4)
    if (data[i + 3] > 0 && Math.max(data[i], data[i + 1], data[i + 2])
        - Math.min(data[i], data[i + 1], data[i + 2]) > 60) colored += 1;
  return colored;
}"""
# The ink of a curve in which every other value is missing.
ALONE = f"""(() => {{
  const chart = Chart.create({{label: "", xName: () => "", xText: String, onZoom: () => {{}}}});
  document.querySelector("main").append(chart.node);
  const y = Array.from({{length: 20}}, (_, i) => i % 2 ? null : 1 + i), x = y.map((_, i) => i);
  chart.draw([{{name: "", color: "#ff0000", dashes: [], x, y, raw: y}}],
             {{xRange: null, isLog: false}});
  const ink = ({INK})(chart.node.querySelector("canvas"));
  chart.node.remove();
  return ink;
}})()"""
CHART = """document.querySelector('section.panel[aria-label="cost"] canvas')"""
# Milliseconds for 200 lines of 800 points on a canvas of the same size, read once.
PLAIN = f"""(() => {{
  const canvas = document.createElement("canvas"), chart = {CHART};
  [canvas.width, canvas.height] = [chart.width, chart.height];
  const context = canvas.getContext("2d"), start = performance.now();
  for (let curve = 0; curve < 200; ++curve) {{
    context.beginPath();
    for (let i = 0; i < 800; ++i)
      context.lineTo(i * canvas.width / 800, (1 + Math.sin(i * (curve + 1))) * canvas.height / 2);
    context.stroke();
  }}
  context.getImageData(0, 0, 1, 1);
  return performance.now() - start;
}})()"""
# Milliseconds until what an action changes is drawn.
FRAME = """async (action) => {
  const start = performance.now(), frame = () => new Promise(requestAnimationFrame);
  action();
  await frame();
  await frame();
  return performance.now() - start;
}"""
SMOOTH = """{
  const slider = document.querySelector('.controls input[type=range]');
  slider.value = (Number(slider.value) + 0.3) % 0.95;
  slider.dispatchEvent(new Event('input'));
}"""
ZOOM = f"""{CHART}.dispatchEvent(new KeyboardEvent('keydown', {{key: '+', bubbles: true}}))"""


def check(condition, what):
    if not condition:
        raise browser.Failed(what)


class Server:
    def __init__(self, options, folder):
        self.process = subprocess.Popen([options.program, "ui", folder, "--quiet", "--token", TOKEN],
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class Tests:
    def __init__(self, options, chromium, folder):
        self.options, self.chromium, self.folder = options, chromium, folder
        self.judge = chromium.page()  # behind the pages that are opened later
        self.some = folder / "some"
        for place, (name, rate) in enumerate((("slow", 0.002), ("middle", 0.01), ("fast", 0.03))):
            runs.add_run(self.some, name, rate, 1.7e9 + 1000 * place, exit_code=int(place == 0))

    def opened(self, url, width=1400, view="Runs"):
        page = self.chromium.page(width)
        page.open(url)
        page.wait("document.querySelectorAll('.runs li').length > 0")
        if view != "Runs":
            page.click("[role=tab]", view)
        return page

    def shot(self, page, name, whole=False):
        if self.options.screenshots:
            self.options.screenshots.mkdir(parents=True, exist_ok=True)
            page.screenshot(self.options.screenshots / f"{name}.png", whole)

    def compare(self, page, name):
        """The view with its stored picture."""
        now, path = page.small(SCALE), PICTURES / f"{name}.png"
        if self.options.store:
            PICTURES.mkdir(exist_ok=True)
            path.write_bytes(base64.b64decode(now))
        mean, far = self.judge.difference(
            now, base64.b64encode(path.read_bytes()).decode())
        if mean > MEAN or far > FAR:
            self.shot(page, f"differs-{name}")
        check(mean <= MEAN and far <= FAR,
              f"{name}: {mean:.1%} from its stored picture, and {far:.1%} of the pixels are far from "
              f"it; if it should look like this, store it with --store")

    def test_list(self):
        """The list, its search, and the table with its order."""
        with Server(self.options, self.some) as url:
            page = self.opened(url)
            check("token" not in page.value("location.href"), "the address still has the token")
            rows = "[...document.querySelectorAll('main tbody tr td:nth-child(2) button')]" \
                   ".map((e) => e.textContent)"
            check(page.value(rows) == ["fast", "middle", "slow"], "not the newest run first")
            page.click("thead button", "cost")
            check(page.value(rows) == ["slow", "middle", "fast"], "not the largest cost first")
            check(page.value("document.querySelector('[aria-sort=descending]').innerText")
                  .startswith("cost"), "aria-sort")
            page.click("thead button", "cost ▼")
            check(page.value(rows) == ["fast", "middle", "slow"], "not the smallest cost first")
            check("failed" in page.value("document.querySelector('.side').innerText"), "no state")
            page.value("document.getElementById('search').focus()")
            page.type("failed slo")
            page.wait(f"({rows}).length === 1")
            check(page.value("document.activeElement.id") == "search", "the focus has moved")
            check(page.value("document.querySelectorAll('.runs li').length") == 1, "the search")
            check(page.complaints() == [], page.complaints())
            # Without the token, nothing.
            page = self.chromium.page()
            page.call("Network.clearBrowserCookies")
            page.open(url.split("?")[0])
            check("no token" in page.value("document.body.innerText"), "no refusal")

    def test_curves(self):
        """Curves: smoothing, axes, zoom, cursor and keyboard."""
        with Server(self.options, self.some) as url:
            page = self.opened(url, view="Curves")
            ink = f"({INK})({CHART})"
            page.wait(f"{CHART} && {ink} > 300")
            check(page.value("document.querySelectorAll('.legend li').length") == 3, "the legend")
            picture = f"{CHART}.toDataURL()"

            def changes(action, what):
                before = page.value(picture)
                action()
                try:
                    page.wait(f"{picture} !== {json.dumps(before)} && {ink} > 100")
                except browser.Failed:
                    raise browser.Failed(f"not drawn anew after {what}") from None

            def set_value(selector, value, event):
                page.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
                           f"e.value = {json.dumps(value)};"
                           f"e.dispatchEvent(new Event('{event}')); }})()")

            changes(lambda: set_value(".controls input[type=range]", "0.9", "input"), "smoothing")
            changes(lambda: page.click(".controls input[type=checkbox]"), "a logarithmic axis")
            for axis in ("epoch", "time", "clock", "step"):
                changes(lambda: set_value(".controls select", axis, "change"), axis)
            box = page.value(f"(() => {{ const r = {CHART}.getBoundingClientRect();"
                             "return [r.x, r.y, r.width, r.height]; })()")
            at = lambda part: [box[0] + box[2] * part, box[1] + box[3] / 2]
            changes(lambda: page.drag(at(0.4), at(0.6)), "zoom")
            check(not page.value("document.querySelector('.controls > button').disabled"), "no reset")
            changes(lambda: page.click(".controls > button", "Reset zoom"), "reset")
            page.move(at(0.5))
            page.wait("document.querySelector('.tip.shown .tip-row b')")
            check(page.value("document.querySelectorAll('.tip.shown .tip-row').length") == 3, "tip")
            check(page.value("document.querySelector('.tip-x').textContent").endswith("0"),
                  "the tip is not at a step of the runs")
            page.move([1, 1])
            page.wait("!document.querySelector('.tip.shown')")
            page.value(f"{CHART}.focus()")
            page.key("ArrowRight")
            page.wait("document.querySelector('.tip.shown')")
            changes(lambda: page.key("+"), "+")
            changes(lambda: page.key("0"), "0")
            for _ in range(100):  # until the range lies between two points
                if page.value(ink) >= 20:  # faint edges of a text may count as colored
                    page.key("+")
            page.wait(f"{ink} < 20")
            changes(lambda: page.key("0"), "0 where nothing is")
            # Beside the axes there is no range.
            beside = [[box[0] + x, box[1] + box[3] / 2] for x in (5, 45)]
            page.drag(*beside)
            check(page.value("document.querySelector('.controls > button').disabled"), "a zoom")
            check(page.value(ink) > 100, "dragged beside the axes")
            check("cost; last values" in page.value(f"{CHART}.getAttribute('aria-label')"), "label")
            check(page.value("document.querySelector('.constant').innerText") != "", "constants")
            ticks = "Scale.make({}, 0, 100, false).ticks(5)"
            check(page.value(ticks.format("...Scale.padded(1, 1 + 2 ** -52, false)"))
                  == [0.9, 0.95, 1, 1.05, 1.1], "ticks of numbers that differ in the last bit")
            check(len(page.value(ticks.format("1, 1 + 2 ** -52"))) < 10, "ticks of a zoom too far")
            for numbers, said in (([0, 0.5, 1], ["0", "0.5", "1"]),
                                  ([0.99999, 0.999992, 0.999994], ["0.99999", "0.999992", "0.999994"]),
                                  ([12345600, 12345620], ["1.23456e7", "1.234562e7"])):
                texts = page.value(f"Chart.texts({numbers}, Numbers.short)")
                check(texts == said, f"{numbers} are called {texts}")
            check(page.value(ALONE) > 50, "points between gaps are not drawn")
            # Fewer runs, fewer curves.
            changes(lambda: page.click(".side input[type=checkbox]"), "choice")
            check(page.complaints() == [], page.complaints())

    def test_media(self):
        """Images, histograms, texts."""
        with Server(self.options, self.some) as url:
            page = self.opened(url, view="Images")
            page.wait("document.querySelectorAll('main img').length === 6")
            page.wait("[...document.querySelectorAll('main img')].every((e) => e.naturalWidth === 16)")
            before = page.value("document.querySelector('main img').src")
            page.value("document.querySelector('main figure input').focus()")
            page.key("Home")
            page.wait(f"document.querySelector('main img').src !== {json.dumps(before)}")
            check(page.value("document.querySelector('main figure output').textContent")
                  == "step 100", "the slider")
            page.click("[role=tab]", "Histograms")
            page.wait("document.querySelectorAll('canvas.histogram').length === 3")
            page.wait(f"({INK})(document.querySelector('canvas.histogram')) > 300")
            page.click("[role=tab]", "Texts")
            page.wait("document.querySelector('main').innerText.includes('note: half way')")
            page.wait("document.querySelector('pre.log').innerText.includes('Start Epoch 1')")
            said = "document.querySelector('figure pre[aria-label=samples]').innerText"
            page.wait(f"{said}.endsWith('makes at step 300')")
            page.value("document.querySelector('main figure input').focus()")
            page.key("Home")
            page.wait(f"{said}.endsWith('makes at step 100')")
            check(page.complaints() == [], page.complaints())

    def test_growing(self):
        """Runs that go on: what was chosen stays, and what is new is shown."""
        started, rate = 1.7e9, 0.01
        folder = self.folder / "growing"
        path = runs.add_run(folder, "grows", rate, started)
        for view in ("Images", "Histograms", "Texts"):
            with Server(self.options, folder) as url:
                page = self.opened(url, view=view)
                said = "document.querySelector('main figure output').textContent.split(':')[0]"
                slider = "document.querySelector('main figure input')"
                page.wait(f"{said}.startsWith('step')")
                last = int(page.value(said).split()[1])
                page.value(f"{slider}.focus()")
                page.value(f"{slider}.is_first = true")
                page.key("Home")
                page.wait(f"{said} === 'step 100'")
                runs.go_on(path, rate, started, last + 100)
                page.wait(f"{slider}.max === '{last // 100}'")
                check(page.value(f"{said} === 'step 100' && {slider}.value === '0'"),
                      f"{view}: the slider has moved")
                check(page.value(f"{slider}.is_first && document.activeElement === {slider}"),
                      f"{view}: the slider is another one")
                page.key("End")
                page.wait(f"{said} === 'step {last + 100}'")
                runs.go_on(path, rate, started, last + 200)
                page.wait(f"{said} === 'step {last + 200}'")
                check(page.complaints() == [], page.complaints())

    def test_growing_curves(self):
        """Curves of a run that goes on: in a range, and over times that come later."""
        started, rate = 1.7e9, 0.001
        folder = self.folder / "timeless"
        path = runs.add_run(folder, "grows", rate, started, steps=5000, events=False)
        panel = "document.querySelector('section.panel[aria-label=cost]')"
        with Server(self.options, folder) as url:
            page = self.opened(url, view="Curves")
            page.wait(f"{CHART} && ({INK})({CHART}) > 300")
            page.value(f"{CHART}.focus()")
            page.key("-")
            page.wait("!document.querySelector('.controls > button').disabled")
            time.sleep(1)  # the points of this range arrive
            before = page.value(f"{CHART}.toDataURL()")
            runs.go_on(path, rate, started, 7000)
            page.wait(f"{CHART}.toDataURL() !== {json.dumps(before)}")
            check(page.complaints() == [], page.complaints())
            # The points before are known without times, since there was no event file.
            (path / runs.EVENTS).unlink()
            page = self.opened(url, view="Curves")
            page.value("(() => { const e = document.querySelector('.controls select');"
                       "e.value = 'time'; e.dispatchEvent(new Event('change')); })()")
            page.wait(f"{panel}?.dataset.curves === '0'")
            time.sleep(1)  # the points of this axis arrive
            runs.go_on(path, rate, started, 8000)
            page.wait(f"{panel}.dataset.curves === '1'")
            for curve, follows in (({"epoch": [0.5, 1]}, False), ({"epoch": [0.5, 0.7]}, True),
                                   ({"epoch": [0.5], "time": [None]}, False),
                                   ({"epoch": [0.5, 0.6], "time": [3, 3]}, False),
                                   ({"epoch": [0.5, 0.6], "time": [3, 4]}, True)):
                check(page.value(f"Curves.follows({json.dumps(curve)}, {{epoch: [0.75]}})") == follows,
                      f"{curve}")
            check(page.complaints() == [], page.complaints())

    def test_manifest(self):
        """Values with origins, and differences."""
        with Server(self.options, self.some) as url:
            page = self.opened(url, view="Manifest")
            page.wait("document.querySelectorAll('main table:not(details table)').length === 2")
            differences = page.value("document.querySelector('main table').innerText")
            check("/optimizer/with/learning_rate" in differences and "0.002" in differences
                  and "/seed" not in differences, differences)
            values = "document.querySelectorAll('main table')[1]"
            page.wait(f"{values}.innerText.includes('default of seed')")
            page.value("document.querySelector('main input[type=search]').focus()")
            page.type("learning_rate")
            page.wait(f"{values}.querySelectorAll('tbody tr').length === 1")
            # An answer that comes when another run has been chosen.
            page.value("document.querySelector('main input[type=search]').select()")
            page.type("/name")
            name = f"{values}.querySelector('code')?.textContent"
            names = page.value("[...document.querySelectorAll('main select option')]"
                               ".map((e) => e.textContent)")
            page.value("""(() => {
              const get = Data.get, list = document.querySelector("main select");
              const first = list.options[0].value, late = new Promise((go) => setTimeout(go, 1000));
              Data.get = async (path, query) => {
                const answer = await get(path, query);
                if (path.includes(first)) await late;
                return answer;
              };
              for (const place of [1, 0, 1]) {
                list.selectedIndex = place;
                list.dispatchEvent(new Event("change"));
              }
              late.then(() => setTimeout(() => window.isLate = true, 500));
            })()""")
            page.wait("window.isLate")
            page.wait(f"{name} === {json.dumps(json.dumps(names[1]))}")  # not of another run
            page.click("main summary", "Environment")
            page.wait("document.querySelector('main [aria-label=Environment]').innerText"
                      ".includes('4 of 8 cores')")
            check(page.complaints() == [], page.complaints())

    def test_live(self):
        """A run that trains: progress, set, and stop."""
        folder = self.folder / "live"
        folder.mkdir()
        manifest = {
            "broch": 1, "plugins": [str(self.options.pause.resolve())], "name": "live",
            "model": {"use": "bench", "with": {"scalars": 1}},
            "data": {"use": "dummy-constant", "with": {"shapes": [[]]}},
            "callbacks": [{"use": "test.pause",
                           "with": {"seconds": 0.05, "events": str(folder / "events")}},
                          "model-saver"],
            "extra_callbacks": ["progress-bar"], "monitors": ["json-writer"],
            "steps_per_epoch": 5, "max_epoch": 2000, "log_dir": str(folder / "log")}
        (folder / "live.json").write_text(json.dumps(manifest))
        training = subprocess.Popen([self.options.program, "train", "--runtime", "null", "--quiet",
                                     folder / "live.json"], stdout=subprocess.DEVNULL)
        try:
            while not (folder / "log/control.sock").exists() and not (folder / "events").exists():
                check(training.poll() is None, "the training has ended")
                time.sleep(0.05)
            with Server(self.options, folder) as url:
                page = self.opened(url, view="Live")
                page.wait("document.querySelector('.live .facts')")
                step = "Number([...document.querySelectorAll('.live dt')]" \
                       ".find((e) => e.textContent === 'Step').nextSibling.textContent)"
                first = page.value(step)
                page.wait(f"{step} > {first}")
                for width in WIDTHS:
                    page.resize(width, 800)
                    self.shot(page, f"live-{width}")
                page.resize(1400, 1000)
                page.value("document.querySelector('.live input').focus()")
                page.type("model-saver/max_to_keep")
                page.key("Tab")
                page.value("document.activeElement.select()")
                page.type("4")
                page.key("Enter")
                page.wait("document.getElementById('message').textContent.includes('is now 4')")
                page.click(".live button", "Save")
                page.wait("document.getElementById('message').textContent.startsWith('Saved: ')")
                saved = page.value("document.getElementById('message').textContent")
                name = pathlib.Path(saved.removeprefix("Saved: ")).name
                check((folder / "log" / name).is_file(), f"{saved}, but it is not there")
                check(training.poll() is None, "saving has ended the training")
                page.click(".live button", "Stop")
                page.click(".live button", "Save and end it now?")
                check(training.wait(60) == 75, "the training was not stopped")
                page.wait("document.querySelector('main').innerText.includes('No run trains')")
                page.wait("document.querySelector('.side').innerText.includes('interrupted')")
        finally:
            training.kill()
            training.wait()

    def test_keyboard(self):
        """Everything can be reached and used without a mouse."""
        with Server(self.options, self.some) as url:
            page = self.opened(url)
            page.wait("document.querySelectorAll('main tbody tr').length === 3")
            seen = []
            for _ in range(30):
                page.key("Tab")
                seen.append(page.value(
                    "(() => { const e = document.activeElement;"
                    "const r = e.getBoundingClientRect(), s = getComputedStyle(e);"
                    "return {tag: e.tagName, text: e.textContent || e.getAttribute('aria-label')"
                    "|| e.placeholder || '', outline: s.outlineStyle, seen: r.width > 0}; })()"))
            check(seen[0]["text"] == "Skip to the content", seen[0])
            check(seen[1]["text"] == "Runs", seen[1])
            for one in seen:
                check(one["tag"] == "BODY" or one["outline"] != "none", f"no outline: {one}")
            page.value("document.querySelector('[role=tab][aria-selected=true]').focus()")
            page.key("ArrowRight")
            page.wait("document.activeElement.textContent === 'Curves' &&"
                      "document.activeElement.getAttribute('aria-selected') === 'true'")
            page.key("End")
            page.wait("document.querySelector('main').innerText.includes('No run trains')")
            for view in VIEWS:
                page.click("[role=tab]", view)
                time.sleep(0.3)
                nameless = page.value("""[...document.querySelectorAll(
                    'button, input, select, canvas, img, a[href]')].filter((e) => e.offsetParent
                    && !(e.textContent.trim() || e.getAttribute('aria-label') || e.alt
                         || e.closest('label')?.textContent.trim() || e.querySelector('img')?.alt))
                    .map((e) => e.outerHTML)""")
                check(nameless == [], f"{view}: no name: {nameless}")

    def test_widths(self):
        """No view is wider than the screen, in light and dark, and each looks as it is stored."""
        with Server(self.options, self.some) as url:
            for width in WIDTHS:
                page = self.opened(url, width)
                for view in VIEWS:
                    page.click("[role=tab]", view)
                    time.sleep(0.5)
                    for theme in ("light", "dark"):
                        page.dark(theme == "dark")
                        time.sleep(0.1)
                        self.shot(page, f"{view.lower()}-{width}-{theme}")
                        if theme == "light" or width == WIDTHS[1]:
                            self.compare(page, f"{view.lower()}-{width}-{theme}")
                    wide = page.value("document.documentElement.scrollWidth")
                    check(wide <= width, f"{view} is {wide} wide on a screen of {width}")
                check(page.complaints() == [], page.complaints())

    def test_theme(self):
        """The switch between dark and light, which is kept."""
        with Server(self.options, self.some) as url:
            page = self.opened(url)
            back = "getComputedStyle(document.body).backgroundColor"
            page.dark(True)
            dark = page.value(back)
            page.dark(False)
            light = page.value(back)
            check(dark != light, f"both are {dark}")
            page.click("#theme")
            check(page.value(back) == dark, "the switch does nothing")
            page.call("Page.reload")
            page.wait("document.querySelectorAll('.runs li').length > 0")
            check(page.value(back) == dark, "the choice is forgotten")
            page.click("#theme")
            check(page.value(back) == light, "there is no way back")

    def test_report(self):
        """A report needs nothing but itself."""
        report = self.folder / "report.html"
        subprocess.run([self.options.program, "run", "report", self.some / "slow",
                        self.some / "fast", "-o", report], check=True, stdout=subprocess.DEVNULL)
        page = self.chromium.page(1400)
        page.open(report.as_uri())
        page.wait(f"{CHART} && ({INK})({CHART}) > 300")
        page.wait("document.querySelectorAll('main img').length === 4 &&"
                  "[...document.querySelectorAll('main img')].every((e) => e.naturalWidth === 16)")
        page.wait(f"({INK})(document.querySelector('canvas.histogram')) > 300")
        page.wait("document.querySelector('main').innerText.includes('broch.optimizer.adam')")
        for text in ("validation_error", "/optimizer/with/learning_rate", "half way", "exit code",
                     "makes at step 300", "some processor", "LibTorch 2.11.0",
                     "some accelerator, 64 GiB"):
            check(text in page.value("document.body.textContent"), text)
        other = [one for one in page.loaded() if not one.startswith(("file:", "data:", "about:"))]
        check(other == [], other)
        check(page.complaints() == [], page.complaints())
        for width in WIDTHS:
            page.resize(width, 1000)
            time.sleep(0.3)
            self.shot(page, f"report-{width}", whole=True)
            wide = page.value("document.documentElement.scrollWidth")
            check(wide <= width, f"the report is {wide} wide on a screen of {width}")

    def test_many(self):
        """200 runs of 100,000 points: the first paint, the list, and all curves at once."""
        folder = self.folder / "many"
        folder.mkdir()
        with Server(self.options, runs.add_long_runs(folder, 200, 100_000)) as url:
            best = {}
            for _ in range(3):
                page = self.opened(url)
                page.wait("performance.getEntriesByName('broch-list').length")
                paint = page.value("performance.getEntriesByName('first-contentful-paint')[0].startTime")
                listed = page.value("performance.getEntriesByName('broch-list')[0].startTime")
                best["first paint"] = min(best.get("first paint", 1e9), paint)
                best["list"] = min(best.get("list", 1e9), listed)
            check(page.value("document.querySelectorAll('.runs li').length") == 200, "the list")
            start = time.monotonic()
            page.click("[role=tab]", "Curves")
            page.wait(f"{CHART} && ({INK})({CHART}) > 300")
            best["five curves"] = (time.monotonic() - start) * 1000
            start = time.monotonic()
            page.click(".side button", "Show all found")
            page.wait("document.querySelector('.legend').innerText.includes('and 160 more')")
            page.wait("document.querySelector('section.panel[aria-label=cost]')"
                      ".dataset.curves === '200'", patience=300)
            best["200 curves"] = (time.monotonic() - start) * 1000
            page.move([900, 400])
            self.shot(page, "many")
            best["plain curves"] = page.value(PLAIN)
            for name, action in (("smoothing", SMOOTH), ("zoom", ZOOM)):
                before = page.value(f"{CHART}.toDataURL()")
                best[name] = min(page.value(f"({FRAME})(() => {action})") for _ in range(3))
                check(page.value(f"{CHART}.toDataURL()") != before, f"{name} draws nothing new")
            print(", ".join(f"{name} {value:.0f} ms" for name, value in best.items()))
            check(best["first paint"] < FIRST_PAINT * 1000, best)
            check(best["200 curves"] < ALL_CURVES * 1000, best)
            for name in ("smoothing", "zoom"):
                check(best[name] < FLUID * 1000 + SLOWER * best["plain curves"], best)
            check(page.complaints() == [], page.complaints())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--pause", type=pathlib.Path, required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--store", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if not browser.find():
        print("no chromium; apt-get install chromium")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as chromium:
        tests = Tests(options, chromium, pathlib.Path(folder))
        for name in options.names or [name[5:] for name in dir(tests) if name.startswith("test_")]:
            try:
                getattr(tests, "test_" + name)()
                print(f"{name}: ok", flush=True)
            except browser.Failed as failure:
                failed += 1
                print(f"{name}: {failure}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
