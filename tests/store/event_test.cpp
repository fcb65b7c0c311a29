// event_test.cpp: the wire format, byte by byte where it is short. tests/reference/check_events.py
// reads whole files with TensorBoard.
#include "store/event.hpp"

#include <tuple>

#include "store/event_file.hpp"
#include "store/event_tensors.hpp"
#include "support.hpp"

using namespace broch::store;
using broch::base::Exit;
using broch::base::FakeClock;

namespace {

Event scalar(int64_t step, float value) {
  Event event;
  event.step = step;
  event.summary = {{"train/loss", value}};
  return event;
}

std::vector<int64_t> steps(const std::filesystem::path& path) {
  std::vector<int64_t> found;
  for (const Event& event : read_events(path)) found.push_back(event.step);
  return found;
}

}  // namespace

TEST_CASE("event: the encoding of a scalar is protobuf's") {
  Event event;
  event.wall_time = 1.0;
  event.step = 300;
  event.summary = {{"a", 0.5f}};
  // 1: fixed64; 2: varint; 5: {1: {1: "a", 2: fixed32}}
  CHECK(encode(event) == std::string("\x09\0\0\0\0\0\0\xf0\x3f\x10\xac\x02\x2a\x0a\x0a\x08\x0a\x01"
                                     "a\x15\0\0\0\x3f",
                                     24));
}

TEST_CASE("event: everything that is encoded is decoded") {
  Event event;
  event.wall_time = 1234.5;
  event.step = int64_t{1} << 40;
  event.message = "model saved";
  const std::vector<float> values{-1, 0, 0.5f, 2};
  event.summary = {{"s", -2.5f},
                   {"i", EventImage{4, 5, 3, "png bytes"}},
                   {"h", histogram_of(values, "h")},
                   {"a", EventAudio{8000, 2, 3, "wav bytes"}},
                   {"t", text_of("some words")},
                   {"c", pr_curve_of(std::vector<double>{2, 1, 1, 0, 0, 1, 0, 1})}};
  const Event back = decode(encode(event), "event");
  CHECK(back.wall_time == event.wall_time);
  CHECK(back.step == event.step);
  CHECK(back.message == event.message);
  REQUIRE(back.summary.size() == 6);
  CHECK(std::get<float>(back.summary[0].value) == -2.5f);
  const EventImage& image = std::get<EventImage>(back.summary[1].value);
  CHECK(image.height == 4);
  CHECK(image.width == 5);
  CHECK(image.channels == 3);
  CHECK(image.png == "png bytes");
  const Histogram& histogram = std::get<Histogram>(back.summary[2].value);
  const Histogram& original = std::get<Histogram>(event.summary[2].value);
  CHECK(histogram.bucket == original.bucket);
  CHECK(histogram.bucket_limit == original.bucket_limit);
  CHECK(histogram.sum_squares == 5.25);
  const EventAudio& audio = std::get<EventAudio>(back.summary[3].value);
  CHECK(std::tuple(audio.rate, audio.channels, audio.frames, audio.wav) ==
        std::tuple(8000.0f, 2, 3, "wav bytes"));
  const EventTensor& text = std::get<EventTensor>(back.summary[4].value);
  CHECK(text.plugin == "text");
  CHECK(text.shape == std::vector<int64_t>{1});
  CHECK(std::get<1>(text.elements) == std::vector<std::string>{"some words"});
  const EventTensor& curve = std::get<EventTensor>(back.summary[5].value);
  CHECK(curve.content == "\x10\x02");  // two thresholds
  CHECK(curve.shape == std::vector<int64_t>{6, 2});
  // Counts of the two thresholds, then precision and recall.
  CHECK(std::get<0>(curve.elements) ==
        std::vector<float>{2, 1, 1, 0, 0, 1, 0, 1, 2.0f / 3, 1, 1, 0.5f});
}

TEST_CASE("event: malformed bytes are an error, not a crash, at every truncation") {
  const std::string whole = encode(scalar(7, 1));
  for (size_t size = 1; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    try {
      decode(cut, "cut");
    } catch (const broch::base::Error& error) {
      CHECK(error.exit() == Exit::data);
    }
  }
  CHECK(matches(refusal(Exit::data, [] { decode("\x0f", "file"); }), "^file: a malformed event"));
}

TEST_CASE("event file: it is named after time and host, and opens with the version record") {
  const Folder folder;
  const FakeClock clock(1.7e9);
  const EventFile first(folder.path(), clock), second(folder.path(), clock);
  CHECK(matches(first.path().filename(), "^events\\.out\\.tfevents\\.1700000000\\.[^/]+$"));
  CHECK(second.path() == first.path().string() + ".1");
  CHECK(event_files(folder.path()).size() == 2);
  const std::string bytes = read_file(first.path());
  // Length 24 with its sum, as every event file begins.
  CHECK(bytes.substr(0, 12) == std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12));
  CHECK(read_events(first.path()).at(0).file_version == "brain.Event:2");
  CHECK(read_events(first.path()).at(0).wall_time == 1.7e9);
}

TEST_CASE("event file: events reach the disk with flush and at the end") {
  const Folder folder;
  std::filesystem::path path;
  {
    EventFile file(folder.path());
    path = file.path();
    file.add(scalar(1, 0.5f));
    CHECK(file.pending() == 1);
    CHECK(read_events(path).size() == 1);
    file.flush();
    CHECK(file.pending() == 0);
    CHECK(read_events(path).size() == 2);
    file.add(scalar(2, 0.25f));
  }
  CHECK(steps(path) == std::vector<int64_t>{0, 1, 2});
}

TEST_CASE("event file: those begun in a second or later are found by a name of that second") {
  const Folder folder;
  std::vector<std::string> names;
  for (const double second : {1.7e9, 1.7e9 + 1, 1.7e9 + 1, 1.7e9 + 2}) {
    const FakeClock clock(second);
    names.push_back(EventFile(folder.path(), clock).path().filename());
  }
  CHECK(event_files(folder.path(), names[0]).size() == 4);
  CHECK(event_files(folder.path(), names[2]).size() == 3);
  CHECK(event_files(folder.path(), names[3]).size() == 1);
}

TEST_CASE("event file: truncation keeps the steps up to the checkpoint's and drops a torn end") {
  const Folder folder;
  std::filesystem::path path;
  {
    EventFile file(folder.path());
    path = file.path();
    for (int64_t step = 1; step <= 5; ++step) file.add(scalar(step, 1));
  }
  const std::string whole = read_file(path);
  write_file(path, whole.substr(0, whole.size() - 3));
  CHECK(steps(path) == std::vector<int64_t>{0, 1, 2, 3, 4});
  CHECK(truncate_events(path, 9) > 0);
  CHECK(truncate_events(path, 9) == 0);
  CHECK(truncate_events(path, 2) > 0);
  CHECK(steps(path) == std::vector<int64_t>{0, 1, 2});
}

TEST_CASE("event file: a flipped bit is an error that names file and place") {
  const Folder folder;
  std::filesystem::path path;
  {
    EventFile file(folder.path());
    path = file.path();
    file.add(scalar(1, 1));
  }
  std::string bytes = read_file(path);
  bytes[bytes.size() - 6] ^= 1;
  write_file(path, bytes);
  const std::string text = refusal(Exit::data, [&] { read_events(path); });
  CHECK_MESSAGE(matches(text, "a record with a wrong checksum at byte 40"), text);
}

TEST_CASE("event file: a folder that does not exist is an error") {
  CHECK(matches(refusal(Exit::data, [] { EventFile("/proc/broch/none"); }),
                "cannot be created: No such file"));
}
