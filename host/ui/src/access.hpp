// access.hpp: the secret in the address of the page.
#pragma once
#include <string>

#include "http/secret.hpp"
#include "http/server.hpp"

namespace broch::ui {

class Access {
 public:
  // token: "" makes a random one. Throws base::Error (usage) if it is too short or has other
  // characters than letters, digits, - and _.
  explicit Access(std::string token);

  const std::string& token() const { return token_; }
  // The port is part of the cookie's name, since browsers send cookies to all ports of a machine.
  void set_port(uint16_t port) { cookie_ = "broch-ui-" + std::to_string(port); }
  // Whether the request has the token in its address, its cookie or its header Authorization. Takes
  // the same time for any wrong token.
  bool permits(const http::Request& head, const std::string& in_address) const;
  // The value of the header Set-Cookie.
  std::string cookie() const;

 private:
  std::string token_, cookie_;
  http::Secret secret_;
};

}  // namespace broch::ui
