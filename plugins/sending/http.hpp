// http.hpp: HTTP requests, made by the program curl. It speaks TLS, knows proxies and the
// certificates of the system, and a request that hangs ends with it.
#pragma once
#include <string>
#include <vector>

namespace broch::sending {

struct Request {
  std::string url;
  std::string body = {};                  // JSON; empty: the request is a GET, otherwise a POST
  std::vector<std::string> headers = {};  // "Authorization: Bearer …"
  std::string user = {};                  // "name:password" for basic authentication; empty: none
  double seconds = 10;                    // for all of it
};

// Makes the request and returns the body of the answer. Throws Error, without the URL, if there is
// no answer, or one that says that the request failed.
std::string ask(const Request& request);

// Throws Error if there is no curl.
void require_curl();

}  // namespace broch::sending
