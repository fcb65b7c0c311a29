// callers.cpp: rank 0 asks what each of the others does, and tells them what all do.
#include "dist/callers.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace broch::dist {

namespace {

void tell(Group& group, std::byte word, uint32_t to) {
  group.send(std::span(&word, 1), to, Limit::none);
}

std::byte hear(Group& group, uint32_t from) {
  std::byte word{};
  group.receive(std::span(&word, 1), from, Limit::none);
  return word;
}

// What the others say, by rank.
Callers callers_among(const std::vector<std::byte>& words) {
  const auto missing = std::ranges::find_if(words, [](std::byte word) { return word != kCalls; });
  if (missing == words.end()) return {};
  Callers callers;
  callers.all = false;
  callers.left = std::ranges::find(words, std::byte{1}) != words.end();
  callers.missing = static_cast<uint32_t>(missing - words.begin());
  return callers;
}

}  // namespace

Callers await_callers(Group& group) {
  if (group.ranks().rank != 0) {
    tell(group, kCalls, 0);
    const std::byte word = hear(group, 0);
    return {word == kCalls, word == kLeft, 0};
  }
  std::vector<std::byte> words(group.ranks().world, kCalls);
  for (uint32_t other = 1; other < words.size(); ++other) words[other] = hear(group, other);
  const Callers callers = callers_among(words);
  const std::byte answer = callers.all ? kCalls : callers.left ? kLeft : kNever;
  for (uint32_t other = 1; other < words.size(); ++other)
    tell(group, words[other] == kCalls ? answer : kAgain, other);
  return callers;
}

}  // namespace broch::dist
