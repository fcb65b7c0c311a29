// folder_index_file.cpp: the index of a folder as a file, so that a million files need not be
// listed at each start. Numbers are little-endian:
//
//   16 bytes    "broch folder 2\n" and a zero
//   4 × uint64  checksum of what follows, number of files, bytes of names, bytes of the text
//   files       16 bytes each: where the name begins in names, its size, number of the folder
//   names       one behind the other, padded to a multiple of 8
//   text        as lines: the extensions, the classes that were asked for and those there are, and
//               the folders
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "files/folder_index.hpp"

namespace files {

int64_t modified_at(const std::string& path);  // folder_index.cpp

namespace {

constexpr char kMagic[16] = "broch folder 2\n";
constexpr int64_t kJustNow = 2000000000;  // nanoseconds; file systems count time in larger steps

struct Head {
  char magic[16];
  uint64_t checksum, files, names, text;
};

// Finds accidents, not attacks; four words at a time, since an index can have a hundred megabytes.
uint64_t checksum_of(std::string_view bytes) {
  uint64_t lanes[4] = {1, 2, 3, 4};
  size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32)
    for (int i = 0; i < 4; ++i) {
      uint64_t word;
      std::memcpy(&word, bytes.data() + at + 8 * i, 8);
      lanes[i] = (lanes[i] ^ word) * 0x9E3779B97F4A7C15;
      lanes[i] ^= lanes[i] >> 29;
    }
  uint64_t sum = bytes.size();
  for (; at < bytes.size(); ++at) sum = (sum ^ uint8_t(bytes[at])) * 0x100000001B3;
  for (const uint64_t lane : lanes) sum = ((sum ^ lane) * 0x9E3779B97F4A7C15) ^ (sum >> 31);
  return sum;
}

void put_list(std::string& text, const std::vector<std::string>& list) {
  text += std::to_string(list.size()) + "\n";
  for (const std::string& entry : list) text += entry + "\n";
}

// Takes lines and numbers off the front of a text; failed if there are none.
struct Lines {
  std::string_view rest;
  bool failed = false;

  std::string next() {
    const size_t end = rest.find('\n');
    failed |= end == rest.npos;
    if (failed) return "";
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    return line;
  }
  int64_t number() {
    const std::string line = next();
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    failed |= error != std::errc() || stop != line.data() + line.size();
    return failed ? 0 : value;
  }
  std::vector<std::string> list() {
    std::vector<std::string> entries;
    for (int64_t n = number(); n > 0 && !failed; --n) entries.push_back(next());
    return entries;
  }
};

bool has_line_end(const std::vector<std::string>& list) {
  for (const std::string& entry : list)
    if (entry.find('\n') != entry.npos) return true;
  return false;
}

uint64_t padded(uint64_t size) { return (size + 7) / 8 * 8; }

}  // namespace

bool FolderIndex::save(const std::string& index, const std::string& root,
                       const std::vector<std::string>& extensions) const {
  const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  std::string text;
  put_list(text, extensions);
  put_list(text, classes_given_ ? classes_ : std::vector<std::string>());
  put_list(text, classes_);
  text += std::to_string(folders_.size()) + "\n";
  for (const Folder& folder : folders_) {
    if (folder.modified > now - kJustNow || has_line_end({folder.path})) return false;
    text += std::to_string(folder.modified) + "\n" + std::to_string(folder.label) + "\n" +
            folder.path + "\n";
  }
  if (has_line_end(extensions) || has_line_end(classes_) || !is_current(root)) return false;
  std::string body(reinterpret_cast<const char*>(files_.data), files_.size * sizeof(File));
  body.append(names_.data, names_.size);
  body.resize(padded(body.size()));
  body += text;
  Head head{{}, checksum_of(body), files_.size, names_.size, text.size()};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  // A name of its own, since several ranks may write the same index.
  const std::string part = index + ".part" + std::to_string(::getpid());
  std::ofstream stream(part, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(&head), sizeof head);
  stream.write(body.data(), std::streamsize(body.size()));
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(part, index, error);
  const bool written = stream && !error;
  if (!written) std::filesystem::remove(part, error);
  return written;
}

bool FolderIndex::load(const std::string& index, const std::string& root,
                       const std::vector<std::string>& extensions,
                       const std::vector<std::string>& classes) {
  if (::access(index.c_str(), R_OK) != 0) return false;
  FolderIndex read;
  read.file_ = Content(index);
  if (!read.parse(read.file_.bytes(), extensions, classes) || !read.is_current(root)) return false;
  *this = std::move(read);
  return true;
}

bool FolderIndex::parse(std::string_view bytes, const std::vector<std::string>& extensions,
                        const std::vector<std::string>& classes) {
  Head head;
  if (bytes.size() < sizeof head) return false;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0) return false;
  const std::string_view body = bytes.substr(sizeof head);
  const uint64_t most = body.size();
  if (head.files > most / sizeof(File) || head.names > most || head.text > most) return false;
  const uint64_t names = head.files * sizeof(File);
  if (padded(names + head.names) + head.text != most) return false;
  if (checksum_of(body) != head.checksum) return false;
  files_ = {reinterpret_cast<const File*>(body.data()), head.files};
  names_ = {body.data() + names, head.names};

  Lines lines{body.substr(most - head.text)};
  if (lines.list() != extensions || lines.list() != classes) return false;
  classes_given_ = !classes.empty();
  classes_ = lines.list();
  for (int64_t n = lines.number(); n > 0 && !lines.failed; --n) {
    Folder folder;
    folder.modified = lines.number();
    folder.label = lines.number();
    folder.path = lines.next();
    folders_.push_back(std::move(folder));
  }
  if (lines.failed || !lines.rest.empty() || head.files == 0) return false;
  for (uint64_t i = 0; i < files_.size; ++i) {
    const File& file = files_.data[i];
    if (file.folder >= folders_.size() || file.name > names_.size ||
        file.size > names_.size - file.name)
      return false;
    const int64_t label = folders_[file.folder].label;
    if (label < 0 || uint64_t(label) >= classes_.size()) return false;
  }
  return true;
}

bool FolderIndex::is_current(const std::string& root) const {
  for (const Folder& folder : folders_)
    if (modified_at(root + "/" + folder.path) != folder.modified) return false;
  return true;
}

}  // namespace files
