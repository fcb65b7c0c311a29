// group.cpp: calls that are made of the few calls of an engine.
#include "dist/group.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "dist/callers.hpp"

namespace broch::dist {

bool Group::any(bool here) {
  std::byte flag{};
  const std::span<std::byte> bytes(&flag, 1);
  if (ranks().rank != 0) {
    do {
      flag = std::byte{here};
      send(bytes, 0, Limit::none);
      receive(bytes, 0, Limit::none);
    } while (flag == kAgain);
    return flag == std::byte{1};
  }
  bool anyone = here;
  for (uint32_t other = 1; other < ranks().world; ++other) {
    receive(bytes, other, Limit::none);
    while (flag == kCalls) {  // it waits for a call that this rank does not make
      flag = here ? kLeft : kNever;
      send(bytes, other, Limit::none);
      receive(bytes, other, Limit::none);
    }
    anyone |= flag == std::byte{1};
  }
  flag = std::byte{anyone};
  for (uint32_t other = 1; other < ranks().world; ++other) send(bytes, other, Limit::none);
  return anyone;
}

std::vector<std::string> Group::all_gather(const std::string& text) {
  // Most texts are short, and one message per rank contains all of them.
  constexpr size_t kShort = 120;
  struct Message {
    uint64_t size = 0;
    std::array<char, kShort> begin{};
  };
  Message mine;
  mine.size = text.size();
  std::ranges::copy(text.substr(0, kShort), mine.begin.begin());
  std::vector<Message> messages(ranks().world);
  all_gather(std::as_bytes(std::span(&mine, 1)),
             parts_of(std::as_writable_bytes(std::span(messages)), messages.size()));
  std::vector<std::string> texts;
  for (const Message& message : messages)
    texts.emplace_back(message.begin.data(), std::min<size_t>(message.size, kShort));
  const size_t longest = std::ranges::max(messages, {}, &Message::size).size;
  if (longest <= kShort) return texts;
  std::string padded = text, all(longest * texts.size(), '\0');
  padded.resize(longest);
  all_gather(std::as_bytes(std::span(padded)),
             parts_of(std::as_writable_bytes(std::span(all)), texts.size()));
  for (size_t rank = 0; rank < texts.size(); ++rank)
    texts[rank] = all.substr(rank * longest, messages[rank].size);
  return texts;
}

base::Error lost_others(const Ranks& ranks, const std::string& what, const std::string& found) {
  const std::string where =
      "rank " + std::to_string(ranks.rank) + " of " + std::to_string(ranks.world) + ": " + what;
  // The texts of errors of the system, in messages of libraries.
  if (found.find("Too many open files") != found.npos)
    return {base::Exit::collective,
            {where, found, "sockets to all ranks", "raise the limit of open files (ulimit -n)"}};
  if (found.find("ddress already in use") != found.npos)
    return {base::Exit::collective,
            {where, found, "a free port, at which the ranks meet",
             "set MASTER_PORT to another one, the same for all ranks"}};
  return {base::Exit::collective,
          {where, found, "all ranks, in time",
           "see the output of the other ranks: one of them has ended, hangs or is slower "
           "than runtime.collective_timeout"}};
}

std::vector<std::span<std::byte>> parts_of(std::span<std::byte> all, size_t count) {
  std::vector<std::span<std::byte>> parts;
  const size_t each = all.size() / count;
  for (size_t i = 0; i < count; ++i) parts.push_back(all.subspan(i * each, each));
  return parts;
}

}  // namespace broch::dist
