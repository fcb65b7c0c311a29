// api.hpp: what the page asks for, by path. A report contains the same answers.
#pragma once
#include <atomic>
#include <string>

#include "library.hpp"
#include "target.hpp"

namespace broch::ui {

struct Reply {
  std::string type, body;
};

// Any thread. All functions throw Refusal.
//
//   GET  api/runs
//   GET  api/runs/ID/series?points=N&since=RECORD&generation=N&time=1&from=STEP&to=STEP&tag=NAME
//   GET  api/runs/ID/media, …/image?tag=NAME&n=NUMBER, …/histogram?tag=NAME
//   GET  api/runs/ID/texts, …/manifest, …/environment, …/status
//   GET  api/difference?runs=ID,ID
//   POST api/runs/ID/control
class Api {
 public:
  explicit Api(Library& library) : library_(library) {}

  Reply get(const Target& target);
  Reply post(const Target& target, const std::string& body);

  Json runs();
  Json difference(const std::string& ids);

 private:
  Library& library_;
  std::atomic<int> waiting_{0};  // requests that wait for a run
};

std::string text_of(const Json& json);

}  // namespace broch::ui
