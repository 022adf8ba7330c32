"""A server of `tfprof ui`, for tests."""

import http.client
import json
import os
import re
import signal
import subprocess
import time

import tree

SAMPLE = os.path.join(tree.TOP, "examples", "resnet", "profile")


class Server:
    def __init__(self, *arguments, token="secret", env=None):
        self.token = token
        self.process = subprocess.Popen(
            [tree.program(), "ui", f"--token={token}", "--port=0", *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
        self.address = self.process.stdout.readline().strip()
        self.port = int(re.match(r"http://127\.0\.0\.1:(\d+)/", self.address).group(1))

    def ask(self, path, method="GET", cookie=True, **headers):
        """Sends one request; returns status, headers, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if cookie:
            headers["Cookie"] = f"other=1; tfprof_{self.port}={self.token}"
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def api(self, path):
        status, _, body = self.ask("/api/" + path)
        return status, json.loads(body)

    def wait_until_loaded(self):
        for _ in range(300):
            state = self.api("load")[1]["profiles"]
            if all(p["state"] != "loading" for p in state):
                return state
            time.sleep(0.1)
        raise AssertionError("still loading")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        finally:
            self.process.kill()
        if self.process.returncode:
            print(self.process.stderr.read())
        return self.process.returncode
