// service.cpp: nothing is answered without the token.
#include "service.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "page.hpp"
#include "refusal.hpp"

namespace broch::ui {
namespace {

// Other pages cannot send this header to us without asking first, which we never allow.
constexpr const char* kOwnHeader = "x-broch";

http::Response with_headers(http::Response response) {
  response.headers.insert(
      response.headers.end(),
      {{"Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
       {"X-Content-Type-Options", "nosniff"},
       {"Referrer-Policy", "no-referrer"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Cache-Control", "no-store"}});
  return response;
}

http::Response error(int status, const std::string& what) {
  http::Response response{status, "application/json", {}, text_of({{"error", what}})};
  if (status == kTooMany) response.headers = {{"Retry-After", "1"}};
  return with_headers(std::move(response));
}

std::string type_of(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  return "text/html; charset=utf-8";
}

std::optional<http::Response> file(const Target& target) {
  if (target.path.size() > 1) return std::nullopt;
  const std::string name = target.path.empty() ? "index.html" : target.path[0];
  for (const PageFile& one : page_files())
    if (one.name == name) return http::Response{200, type_of(name), {}, one.text};
  return std::nullopt;
}

}  // namespace

std::optional<http::Response> Service::refusal_of(const http::Request& head) {
  try {
    const Target target = parse_target(head.target);
    if (!access_.permits(head, target.text("token")))
      return error(kForbidden,
                   "no token, or a wrong one; open the address that broch ui has printed");
    const bool posts = !target.path.empty() && target.path.back() == "control";
    if (posts ? head.method != "POST" : head.method != "GET" && head.method != "HEAD") {
      http::Response response = error(kNotAllowed, "method: found " + base::quoted(head.method) +
                                                       ", expected " + (posts ? "POST" : "GET"));
      response.headers.emplace_back("Allow", posts ? "POST" : "GET, HEAD");
      return response;
    }
    if (posts && head.header(kOwnHeader).empty())
      return error(kForbidden, "header X-Broch: missing, expected X-Broch: 1");
    return std::nullopt;
  } catch (const Refusal& refusal) {
    return error(refusal.status(), refusal.what());
  }
}

void Service::handle(http::Request request, http::Answer answer) {
  answer([this, request = std::move(request)] { return respond(request); });
}

http::Response Service::respond(const http::Request& request) {
  try {
    const Target target = parse_target(request.target);
    if (request.method == "POST") {
      Reply reply = api_.post(target, request.body);
      return with_headers({200, std::move(reply.type), {}, std::move(reply.body)});
    }
    if (auto response = file(target)) {
      if (target.query.contains("token"))
        response->headers.emplace_back("Set-Cookie", access_.cookie());
      return with_headers(std::move(*response));
    }
    Reply reply = api_.get(target);
    return with_headers({200, std::move(reply.type), {}, std::move(reply.body)});
  } catch (const Refusal& refusal) {
    return error(refusal.status(), refusal.what());
  }
}

http::Response Service::failure(int status, const std::string& found, const std::string& expected) {
  return error(status,
               "the request: " + found + (expected.empty() ? "" : ", expected " + expected));
}

void Service::responds(const http::Request* head, int status) {
  // Without the query, which may have the token.
  const std::string what =
      head ? head->method + " " + base::quoted(head->target.substr(0, head->target.find('?')))
           : "no request";
  base::debug(what + ": " + std::to_string(status));
}

}  // namespace broch::ui
