// ui.hpp: broch ui: a page that shows the runs below some folders.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace broch::ui {

struct Options {
  std::vector<std::string> folders;
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any that is free
  std::string token;  // ""; a random one
};

// Serves until SIGINT, SIGTERM or SIGHUP. ready is called with the address of the page, which has
// the token in it. Blocks these signals in this thread and those that it starts. Throws
// base::Error.
void serve(const Options& options, const std::function<void(const std::string& url)>& ready);

}  // namespace broch::ui
