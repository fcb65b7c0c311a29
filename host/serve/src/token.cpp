// token.cpp: reads the token from a file or from the environment.
#include "token.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "base/log.hpp"

namespace broch::serve {
namespace {

constexpr const char* kVariable = "BROCH_SERVE_TOKEN";
constexpr size_t kLeast = 16, kMost = 4096;  // bytes

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open())
    base::fail(base::Exit::data, file, "a file that cannot be read", "one with a token");
  struct stat status {};
  if (stat(file.c_str(), &status) == 0 && (status.st_mode & (S_IRGRP | S_IROTH)) != 0)
    base::warning(file + ": the token can be read by other users; chmod 600 " + file);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

}  // namespace

Token::Token(const std::string& file) {
  const char* const variable = std::getenv(kVariable);
  if (file.empty() && !variable) return;
  const std::string where = file.empty() ? kVariable : file;
  const std::string text = file.empty() ? variable : content(file);
  if (text.size() < kLeast || text.size() > kMost)
    base::fail(base::Exit::usage, where, "a token of " + std::to_string(text.size()) + " bytes",
               std::to_string(kLeast) + " to " + std::to_string(kMost),
               "openssl rand -hex 32 makes one");
  for (const char c : text)
    if (c <= ' ' || c > '~')
      base::fail(base::Exit::usage, where, "a token with spaces or other special characters",
                 "letters, digits and punctuation", "openssl rand -hex 32 makes one");
  secret_ = http::Secret(text);
}

}  // namespace broch::serve
