// service.hpp: requests over HTTP: the files of the page, and the api.
#pragma once
#include <optional>
#include <string>

#include "access.hpp"
#include "api.hpp"
#include "http/server.hpp"

namespace broch::ui {

class Service final : public http::Handler {
 public:
  Service(Library& library, const Access& access) : api_(library), access_(access) {}

  std::optional<http::Response> refusal_of(const http::Request& head) override;
  void handle(http::Request request, http::Answer answer) override;
  http::Response failure(int status, const std::string& found,
                         const std::string& expected) override;
  void responds(const http::Request* head, int status) override;

 private:
  http::Response respond(const http::Request& request);

  Api api_;
  const Access& access_;
};

}  // namespace broch::ui
