// reader_main.cpp: the program hdf5_reader (protocol.hpp). It may crash: that ends no training.
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <broch/cpp/error.hpp>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hdf5/protocol.hpp"
#include "hdf5/stored.hpp"

namespace {

using hdf5::Stored;

// Ends the program if the other side is gone. Without destructors: the library could crash in them.
void exactly(ssize_t (*move)(char*, size_t), char* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = move(bytes + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(0);
    done += size_t(n);
  }
}
ssize_t read_some(char* to, size_t size) { return ::read(STDIN_FILENO, to, size); }
ssize_t write_some(char* from, size_t size) { return ::write(STDOUT_FILENO, from, size); }

void answer(broch_status status, std::string bytes) {
  hdf5::Answer head{bytes.size(), status, 0};
  exactly(write_some, reinterpret_cast<char*>(&head), sizeof head);
  exactly(write_some, bytes.data(), bytes.size());
}

// Answers with the result of find, or the error that it throws.
template <class Find>
void answer_with(const Find& find) {
  std::string bytes;
  broch_status status = BROCH_OK;
  try {
    bytes = find();
  } catch (const broch::Error& error) {
    status = error.status();
    bytes = error.what();
  } catch (const std::exception& error) {  // no memory
    status = BROCH_E_RESOURCE_EXHAUSTED;
    bytes = std::string("hdf5_reader: ") + error.what();
  }
  answer(status, std::move(bytes));
}

std::string descriptions_of(const std::vector<Stored>& datasets) {
  nlohmann::json list = nlohmann::json::array();
  for (const Stored& dataset : datasets) {
    const hdf5::Description& one = dataset.description();
    list.push_back({{"type", {one.type.code, one.type.bits}},
                    {"rows", one.rows},
                    {"row_bytes", one.row_bytes},
                    {"row_shape", one.row_shape},
                    {"offset", one.offset ? nlohmann::json(*one.offset) : nlohmann::json()}});
  }
  return list.dump();
}

std::string row_of(const std::vector<Stored>& datasets, const hdf5::Request& request) {
  const Stored& dataset = datasets.at(request.dataset);
  std::string row(dataset.description().row_bytes, '\0');
  dataset.read(request.row, row.data());
  return row;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(SIGPIPE, SIG_IGN);  // write says it
  const auto seconds = unsigned(std::atoi(words[1]));
  std::vector<Stored> datasets;
  alarm(seconds);
  answer_with([&] {
    datasets = hdf5::open_stored(words[2], {words + 3, words + count});
    return descriptions_of(datasets);
  });
  for (;;) {
    alarm(0);
    hdf5::Request request;
    exactly(read_some, reinterpret_cast<char*>(&request), sizeof request);
    alarm(seconds);
    answer_with([&] { return row_of(datasets, request); });
  }
}
