"""A secure site whose versions and suites can be set, down to those that our own TLS library does not know.

Reads its settings as JSON from standard input, prints its port, and then a line of JSON for each request.
"""

import http.server
import json
import ssl
import sys

settings = json.loads(sys.stdin.readline())


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print(json.dumps({"path": self.path, "agent": self.headers.get("User-Agent", "")}), flush=True)
        status, headers, body = settings["answers"].get(self.path, [404, {}, ""])
        body = body.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def get_request(self):
        stream, address = super().get_request()
        # The handshake belongs to the connection's thread: a slow one holds nobody up.
        return context.wrap_socket(stream, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, *_):
        pass  # A browser that does not trust the certificate hangs up.


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(settings["certificate"], settings["key"])
if settings["ciphers"]:
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(settings["ciphers"])
if settings["is_old"]:
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1

server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
