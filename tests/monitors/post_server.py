"""A server that keeps what is sent to it."""
import http.server
import json
import threading


class PostServer:
    """answer: a function from path and body, an object, to status and an object. requests: (path,
    headers, body) of all requests."""

    def __init__(self, answer=lambda path, body: (200, {})):
        self.requests = requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                requests.append((self.path, self.headers, body))
                status, said = answer(self.path, body)
                text = json.dumps(said).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                except OSError:
                    pass  # whoever asked did not wait

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
