// pipe_frame_test.cpp: frames alone: damaged ones end in a frame or an Error, never in a crash.
#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "pipe/frame.hpp"

namespace {

class Memory final : public piped::Bytes {
 public:
  // step: so many bytes are given at a time.
  explicit Memory(const std::string& bytes, size_t step = SIZE_MAX) : left_(bytes), step_(step) {}
  size_t read(void* memory, size_t size) override {
    size = std::min({size, step_, left_.size()});
    std::memcpy(memory, left_.data(), size);
    left_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view left_;
  size_t step_;
};

template <class T>
std::string number(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string component(const std::string& name, std::vector<int64_t> shape,
                      const std::vector<float>& values) {
  std::string text = "\1" + std::string(1, char(shape.size())) + number(uint16_t(name.size())) +
                     number(uint32_t(0)) + number(uint64_t(values.size() * sizeof(float)));
  for (const int64_t size : shape) text += number(size);
  text += name;
  return text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

std::string frame(uint16_t kind, uint32_t components, const std::string& text,
                  const std::string& rest) {
  return "BRPF" + number(uint16_t(1)) + number(kind) + number(components) +
         number(uint32_t(text.size())) + number(uint64_t(text.size() + rest.size())) + text + rest;
}

const std::string kPoint = frame(
    1, 2, "after 7", component("image", {2, 3}, {1, 2, 3, 4, 5, 6}) + component("label", {}, {9}));
const std::string kStream =
    kPoint + frame(3, 0, "the camera is unplugged", "") + frame(2, 0, "", "");

struct Read {
  std::vector<piped::Frame> frames;
  std::vector<piped::Component> components;
  std::vector<std::vector<char>> elements;
};

Read read_all(const std::string& bytes, size_t step = SIZE_MAX, int frames = 3) {
  Memory memory(bytes, step);
  piped::FrameReader reader(memory, "'program'", 1000);
  Read read;
  for (int i = 0; i < frames; ++i)
    read.frames.push_back(reader.next([&](const piped::Component& component) {
      read.components.push_back(component);
      read.elements.emplace_back(component.bytes);
      return read.elements.back().data();
    }));
  CHECK(reader.offset() == bytes.size());
  CHECK(reader.frames() == uint64_t(frames));
  return read;
}

}  // namespace

TEST_CASE("frame: points, errors and ends, in pieces of any size") {
  for (const size_t step : {size_t(1), size_t(7), SIZE_MAX}) {
    const Read read = read_all(kStream, step);
    CHECK(read.frames[0].kind == piped::Kind::point);
    CHECK(read.frames[0].text == "after 7");
    CHECK(read.frames[1].kind == piped::Kind::error);
    CHECK(read.frames[1].text == "the camera is unplugged");
    CHECK(read.frames[2].kind == piped::Kind::end);
    REQUIRE(read.components.size() == 2);
    CHECK(read.components[0].name == "image");
    CHECK(read.components[0].shape == std::vector<int64_t>{2, 3});
    CHECK(read.components[0].dtype == BROCH_FLOAT32);
    CHECK(read.components[1].shape.empty());
    float last;
    std::memcpy(&last, read.elements[0].data() + 5 * sizeof(float), sizeof last);
    CHECK(last == 6);
  }
}

TEST_CASE("frame: an end at any byte is the end of the output") {
  for (size_t size = 0; size < kPoint.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(read_all(kPoint.substr(0, size), SIZE_MAX, 1), piped::Ended);
  }
}

TEST_CASE("frame: 100,000 damaged ones are read or refused") {
  std::mt19937_64 random(20261125);
  int read = 0, refused = 0, ended = 0;
  for (int round = 0; round < 100000; ++round) {
    CAPTURE(round);
    std::string bytes = kStream;
    for (uint64_t n = random() % 3 + 1; n > 0; --n) {
      const size_t at =
          random() % (random() % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 80));
      switch (random() % 6) {
        case 0:
          bytes.erase(at, random() % 9);
          break;
        case 1:
          bytes.insert(at, bytes.substr(random() % bytes.size(), 20));
          break;
        case 2:
          bytes[at] = "\0\1\2\3\xff\x7f"[random() % 6];
          break;
        default:
          bytes[at] = char(random());
      }
      if (bytes.empty()) break;
    }
    Memory memory(bytes);
    piped::FrameReader reader(memory, "'program'", 1000);
    std::vector<std::vector<char>> elements;
    try {
      while (reader
                 .next([&](const piped::Component& component) {
                   CHECK(component.bytes <= 1000);
                   return elements.emplace_back(component.bytes).data();
                 })
                 .kind != piped::Kind::end)
        ++read;
    } catch (const piped::Ended&) {
      ++ended;
    } catch (const broch::Error& error) {
      REQUIRE(std::string(error.what()).find(", expected ") != std::string::npos);
      ++refused;
    }
  }
  MESSAGE(read << " read, " << refused << " refused, " << ended << " ended early");
  CHECK((read > 0 && refused > 0 && ended > 0));
}
