// trace.hpp: lines that plugins of tests append to a file, which the tests read afterwards.
#pragma once
#include <broch/broch.hpp>
#include <cstdio>
#include <fstream>
#include <string>

namespace broch::test {

inline std::string text_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

class Trace {
 public:
  explicit Trace(const Config& config)
      : path_(config.has("/trace") ? config.string("/trace") : "") {}
  void write(const std::string& line) const {
    if (!path_.empty()) std::ofstream(path_, std::ios::app) << line << '\n';
  }

 private:
  std::string path_;
};

}  // namespace broch::test
