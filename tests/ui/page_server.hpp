// page_server.hpp: log folders that are made by hand, and the program that shows them.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "folder.hpp"
#include "http_client.hpp"

namespace broch::ui_test {

using Json = nlohmann::json;
using test::Client, test::Folder, test::Response;

inline const std::string kToken = "0123456789abcdef-token";

// A log folder with the records [{"epoch_num": 1, …}].
std::filesystem::path add_run(const Folder& folder, const std::string& name, const Json& records);
// Records of so many steps with one metric: value(step), from step 1 on.
template <class Value>
Json records_of(int steps, const Value& value) {
  Json records = Json::array();
  for (int step = 1; step <= steps; ++step)
    records.push_back({{"cost", value(step)}, {"epoch_num", 1}, {"global_step", step}});
  return records;
}

// broch ui over a folder, with kToken.
class PageServer {
 public:
  explicit PageServer(const std::filesystem::path& folder);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const { return port_; }
  // With the token in a header.
  Response get(const std::string& path) const;
  Response post(const std::string& path, const std::string& body) const;
  // What api/… answers; it has to answer 200.
  Json api(const std::string& path) const;
  // The id of the run with this name.
  std::string id(const std::string& name) const;
  // Sends SIGTERM; the exit code.
  int end();

 private:
  pid_t pid_ = -1;
  int port_ = 0;
};

}  // namespace broch::ui_test
