// open.cpp: opens broch_http.so when a server is wanted.
#include "base/error.hpp"
#include "base/part.hpp"
#include "http/server.hpp"

namespace broch::http {
namespace {

OpenFunction* open_library() {
  return reinterpret_cast<OpenFunction*>(base::open_part(
      {"broch_http.so", kOpenSymbol, "the part of Broch that speaks HTTP",
       "install libssl3 (apt-get install libssl3), or build and install Broch again"}));
}

}  // namespace

std::unique_ptr<Server> open_server(const Options& options, Handler& handler) {
  std::string where, found, expected;
  Server* const server = open_library()(options, handler, where, found, expected);
  if (!server) base::fail(base::Exit::data, where, found, expected);
  return std::unique_ptr<Server>(server);
}

}  // namespace broch::http
