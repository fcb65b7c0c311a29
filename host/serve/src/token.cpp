// token.cpp: reads the token from a file or from the environment.
#include "token.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "base/log.hpp"

namespace broch::serve {
namespace {

constexpr const char* kVariable = "BROCH_SERVE_TOKEN";
constexpr size_t kLeast = 16, kMost = 4096;  // bytes
constexpr size_t kLineEnd = 2;               // bytes after it

[[noreturn]] void refuse_size(const std::string& where, const std::string& size) {
  base::fail(base::Exit::usage, where, "a token of " + size + " bytes",
             std::to_string(kLeast) + " to " + std::to_string(kMost),
             "openssl rand -hex 32 makes one");
}

std::string content(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0)
    base::fail(base::Exit::data, file, std::strerror(errno), "a file with a token");
  if (!S_ISREG(status.st_mode))
    base::fail(base::Exit::data, file, S_ISDIR(status.st_mode) ? "a folder" : "no regular file",
               "a file with a token");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) base::fail(base::Exit::data, file, "a file that cannot be read", "one with a token");
  std::string text(kMost + kLineEnd + 1, '\0');
  stream.read(text.data(), std::streamsize(text.size()));
  text.resize(size_t(stream.gcount()));
  if (text.size() > kMost + kLineEnd) refuse_size(file, "more than " + std::to_string(kMost));
  if ((status.st_mode & (S_IRGRP | S_IROTH)) != 0)
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
  if (text.size() < kLeast || text.size() > kMost) refuse_size(where, std::to_string(text.size()));
  for (const char c : text)
    if (c <= ' ' || c > '~')
      base::fail(base::Exit::usage, where, "a token with spaces or other special characters",
                 "letters, digits and punctuation", "openssl rand -hex 32 makes one");
  secret_ = http::Secret(text);
}

}  // namespace broch::serve
