// events.hpp: what the event files of a run hold, read again only where they have grown.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/event.hpp"

namespace broch::ui {

// Where an image, a histogram or a text stands.
struct EventPlace {
  size_t file = 0;   // in the list of files
  uint64_t at = 0;   // the byte at which its event begins
  size_t value = 0;  // in the event
  int64_t step = 0;
  double time = 0;     // wall time
  int64_t number = 0;  // from 0, of all of its tag
};

// A message.
struct EventText {
  int64_t step = 0;
  double time = 0;
  std::string text;
};

class Events {
 public:
  using Places = std::map<std::string, std::vector<EventPlace>>;  // by tag, oldest first

  // A file that is damaged is read up to that place. If one does not continue what was read of it,
  // because a resumed run has cut it, all are read anew.
  void update(const std::filesystem::path& log_dir);

  const Places& images() const { return images_; }
  const Places& histograms() const { return histograms_; }
  const Places& texts() const { return texts_; }
  // The newest ones, oldest first.
  const std::vector<EventText>& messages() const { return messages_; }
  // The wall time at which this step was reached, between two events if need be; NaN if there is
  // none to tell.
  double time_of(int64_t step) const;
  // Throws Refusal (404) if the files have changed in between.
  store::EventValue read(const EventPlace& place) const;
  size_t bytes() const;  // of memory

 private:
  struct File {
    std::filesystem::path path;
    uint64_t read = 0;
    std::string tail{};  // the last bytes of what was read
    bool damaged = false;
  };
  void update(size_t file);
  void add(const store::Event& event, size_t file, uint64_t at);

  std::vector<File> files_;
  Places images_, histograms_, texts_;
  std::vector<EventText> messages_;
  std::map<int64_t, double> times_;  // by step
};

}  // namespace broch::ui
