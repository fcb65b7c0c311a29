// reader.cpp: requests and answers.
#include "hdf5/reader.hpp"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "arrays/diagnostic.hpp"
#include "hdf5/protocol.hpp"

namespace hdf5 {
namespace {

constexpr uint64_t kLongestText = uint64_t{1} << 24;  // descriptions or a message

piped::Command command_of(const Opening& opening) {
  if (access(opening.program.c_str(), X_OK) != 0)
    throw broch::Error(BROCH_E_NOT_FOUND, "found no program " + opening.program +
                                              ", which reads HDF5 files; install Broch again");
  piped::Command command;
  command.words = {opening.program, std::to_string(opening.seconds), opening.file};
  command.words.insert(command.words.end(), opening.paths.begin(), opening.paths.end());
  return command;
}

std::vector<Description> parse(const std::string& text) {
  std::vector<Description> descriptions;
  for (const nlohmann::json& one : nlohmann::json::parse(text)) {
    Description description;
    description.type = {one["type"][0], one["type"][1], 1};
    description.rows = one["rows"];
    description.row_bytes = one["row_bytes"];
    description.row_shape = one["row_shape"].get<std::vector<int64_t>>();
    if (!one["offset"].is_null()) description.offset = one["offset"].get<uint64_t>();
    descriptions.push_back(std::move(description));
  }
  return descriptions;
}

}  // namespace

Reader::Reader(const Opening& opening, const broch::Cancel& cancel)
    : opening_(opening), process_(command_of(opening)) {
  process_.expect_output(cancel);
  try {
    std::string text(read_head(), '\0');
    read_exactly(text.data(), text.size());
    descriptions_ = parse(text);
  } catch (const Ended&) {
    refuse_end(opening_.file);
  }
}

void Reader::read(size_t dataset, uint64_t row, void* to, const broch::Cancel& cancel) {
  const Request request{dataset, row};
  process_.expect_output(cancel);
  process_.send({reinterpret_cast<const char*>(&request), sizeof request});
  try {
    const uint64_t size = read_head();
    if (size != descriptions_[dataset].row_bytes) throw Ended();
    read_exactly(to, size);
  } catch (const Ended&) {
    refuse_end(opening_.file + ": dataset " + arrays::quoted(opening_.paths[dataset]) + ": row " +
               std::to_string(row));
  }
}

// The number of bytes that follow. Throws the error that stands there instead.
uint64_t Reader::read_head() {
  Answer answer;
  read_exactly(&answer, sizeof answer);
  if (answer.status == BROCH_OK) return answer.size;
  if (answer.size > kLongestText) throw Ended();
  std::string message(answer.size, '\0');
  read_exactly(message.data(), message.size());
  throw broch::Error(broch_status(answer.status), message);
}

void Reader::read_exactly(void* to, uint64_t size) {
  for (char* at = static_cast<char*>(to); size > 0;) {
    const size_t n = process_.read(at, size);
    if (n == 0) throw Ended();
    at += n;
    size -= n;
  }
}

void Reader::refuse_end(const std::string& place) {
  const std::string ending = process_.end(std::chrono::seconds(5));
  const char* const hint = "the file is damaged; copy or write it again";
  if (ending.find("signal 14 ") == 0)  // SIGALRM
    arrays::refuse(
        place,
        "a structure that libhdf5 has not read after " + std::to_string(opening_.seconds) + " s",
        "an end of it", hint);
  arrays::refuse(place, "a structure at which libhdf5 crashes (" + ending + ")",
                 "one that it can read", hint);
}

}  // namespace hdf5
