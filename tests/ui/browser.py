"""A headless Chromium that a test drives: the DevTools protocol through two pipes.

https://chromedevtools.github.io/devtools-protocol
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 60  # seconds, on a busy machine


class Failed(Exception):
    pass


def find():
    """The program, or nothing."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.number, self.left, self.events = 0, b"", []
        commands, self.to = os.pipe()
        self.answers, answers = os.pipe()

        def three_and_four():
            # Copies with high numbers first, since one of the pipes may be 3 or 4 itself.
            high = [os.dup2(commands, 100), os.dup2(answers, 101)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
             "about:blank"],
            preexec_fn=three_and_four, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        self.profile.cleanup()

    def receive(self, until):
        while b"\0" not in self.left:
            if not select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]:
                return None
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise Failed("the browser has ended")
            self.left += part
        message, self.left = self.left.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(until)
            if answer is None:
                raise Failed(f"{method}: no answer within {PATIENCE} s")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def page(self, width=1400, height=1000):
        return Page(self, width, height)


class Page:
    def __init__(self, browser, width, height):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target,
                                    flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def dark(self, is_dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def open(self, url):
        self.call("Page.bringToFront")  # a page behind another one is hidden, and asks for nothing
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def value(self, expression):
        """The value of an expression in JavaScript; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failed(f"{expression}: " +
                         details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait(self, expression, patience=PATIENCE):
        """Until the expression is true."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            try:
                if self.value(f"Boolean({expression})"):
                    return
            except Failed as failure:
                if "has ended" in str(failure):
                    raise
            time.sleep(0.02)
        raise Failed(f"not true within {patience} s: {expression}\n" +
                     str(self.value("document.body.innerText"))[:2000])

    def click(self, selector, text=None):
        """The first element that is visible and has the text."""
        find = (f"[...document.querySelectorAll({json.dumps(selector)})].find((e) => "
                f"e.offsetParent && {json.dumps(text)} === null || "
                f"e.textContent.trim() === {json.dumps(text)})")
        self.wait(f"Boolean({find})")
        place = self.value(f"(() => {{ const e = {find}; e.scrollIntoView({{block: 'center'}});"
                           "const r = e.getBoundingClientRect();"
                           "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        self.drag(place, place)

    def drag(self, start, end):
        def send(kind, place, buttons):
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left",
                      buttons=buttons, clickCount=1)
        send("mouseMoved", start, 0)
        send("mousePressed", start, 1)
        if start != end:
            send("mouseMoved", [(start[0] + end[0]) / 2, end[1]], 1)
            send("mouseMoved", end, 1)
        send("mouseReleased", end, 0)

    def move(self, place):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])

    def key(self, key, text=""):
        codes = {"Tab": 9, "Enter": 13, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35,
                 "Escape": 27, " ": 32}
        shared = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper())),
                  "code": key}
        text = text or (key if len(key) == 1 else "\r" if key == "Enter" else "")
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text,
                  **shared)
        self.call("Input.dispatchKeyEvent", type="keyUp", **shared)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def screenshot(self, path, whole=False):
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(answer["data"]))

    def small(self, scale):
        """A screenshot of what is visible, smaller; as PNG in base64."""
        size = self.value("({width: innerWidth, height: innerHeight})")
        return self.call("Page.captureScreenshot", format="png",
                         clip={"x": 0, "y": 0, "scale": scale, **size})["data"]

    def difference(self, one, other):
        """Of two pictures in base64: the mean over all pixels, as a part of the whole range, and
        the part of the pixels that differ by more than a quarter of it. 1, 1: other sizes."""
        return self.value("""(async (names) => {
          const [a, b] = await Promise.all(names.map(async (name) => {
            const image = new Image();
            image.src = "data:image/png;base64," + name;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, image.width, image.height);
          }));
          if (a.width !== b.width || a.height !== b.height) return [1, 1];
          let sum = 0, far = 0;
          for (let i = 0; i < a.data.length; i += 4) {
            const apart = [0, 1, 2].map((c) => Math.abs(a.data[i + c] - b.data[i + c]) / 255);
            sum += (apart[0] + apart[1] + apart[2]) / 3;
            far += Math.max(...apart) > 0.25;
          }
          return [sum, far].map((x) => x / (a.data.length / 4));
        })(""" + json.dumps([one, other]) + ")")

    def complaints(self):
        """Errors of scripts, and what the browser has logged as an error."""
        self.value("1")
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Runtime.exceptionThrown":
                details = event["params"]["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                entry = event["params"]["entry"]
                found.append(f"{entry['text']} {entry.get('url', '')}")
        return found

    def loaded(self):
        """The addresses of all that was loaded."""
        return [event["params"]["request"]["url"] for event in self.browser.events
                if event.get("sessionId") == self.session
                and event["method"] == "Network.requestWillBeSent"]
