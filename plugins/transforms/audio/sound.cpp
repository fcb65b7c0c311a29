// sound.cpp: source: sndfile.h of libsndfile 1.2.
#include "audio/sound.hpp"

#include <algorithm>
#include <broch/cpp/error.hpp>
#include <cstring>
#include <vector>

#include "arrays/diagnostic.hpp"

namespace audio {
namespace {

constexpr int64_t kPiece = 4096;  // frames that are decoded at a time
constexpr int64_t kMostCounted = int64_t{1} << 28;

// SF_FORMAT_MPEG_LAYER_I, II or III, which libsndfile has since 1.1.
bool is_mpeg(int format) {
  const int coding = format & SF_FORMAT_SUBMASK;
  return coding >= 0x80 && coding <= 0x82;
}

// Whether the first frame of an MPEG stream, behind tags of ID3, holds the number of frames: "Xing"
// or "Info", and flags. Otherwise libsndfile guesses the length from the size of the file.
bool says_length(std::string_view bytes) {
  while (bytes.size() > 10 && bytes.starts_with("ID3")) {
    size_t size = 0;
    for (size_t i = 6; i < 10; ++i) size = size << 7 | (uint8_t(bytes[i]) & 0x7f);
    bytes.remove_prefix(std::min(bytes.size(), size + 10));
  }
  constexpr size_t kReach = 64;  // more than a header and what is between it and the name
  for (const std::string_view name : {"Xing", "Info"}) {
    const size_t at = bytes.substr(0, kReach).find(name);
    if (at != bytes.npos && at + 8 <= bytes.size()) return bytes[at + 7] & 1;
  }
  return false;
}

}  // namespace

SF_VIRTUAL_IO Sound::functions() {
  SF_VIRTUAL_IO io{};
  io.get_filelen = [](void* user) { return sf_count_t(static_cast<Stream*>(user)->bytes.size()); };
  io.tell = [](void* user) { return static_cast<Stream*>(user)->at; };
  io.seek = [](sf_count_t offset, int whence, void* user) {
    auto* stream = static_cast<Stream*>(user);
    const sf_count_t size = sf_count_t(stream->bytes.size());
    const sf_count_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? stream->at : size;
    sf_count_t target = 0;
    if (__builtin_add_overflow(base, offset, &target)) return stream->at;
    return stream->at = std::clamp<sf_count_t>(target, 0, size);
  };
  io.read = [](void* to, sf_count_t count, void* user) {
    auto* stream = static_cast<Stream*>(user);
    const sf_count_t left = sf_count_t(stream->bytes.size()) - stream->at;
    const sf_count_t got = std::clamp<sf_count_t>(count, 0, left);
    if (got > 0) std::memcpy(to, stream->bytes.data() + stream->at, size_t(got));
    stream->at += got;
    return got;
  };
  io.write = [](const void*, sf_count_t, void*) { return sf_count_t{0}; };
  return io;
}

Sound::Sound(std::string_view bytes, const std::string& place) : place_(place), stream_{bytes, 0} {
  SF_VIRTUAL_IO io = functions();
  file_.reset(sf_open_virtual(&io, SFM_READ, &info_, &stream_));
  if (!file_ || info_.channels < 1 || info_.frames < 0)
    arrays::refuse(place_,
                   arrays::quoted(bytes.substr(0, 12)) + " (" + sf_strerror(file_.get()) + ")",
                   "a sound file that libsndfile knows, such as WAV, FLAC or Ogg",
                   "convert the file, or leave it out");
  if (is_mpeg(info_.format) && !says_length(bytes)) info_.frames = SF_COUNT_MAX;
  if (info_.frames == SF_COUNT_MAX) info_.frames = counted();
  if (info_.frames == 0)
    arrays::refuse(place_, "0 samples", "at least one",
                   "the program that wrote the file did not finish; convert it, or leave it out");
}

void Sound::refuse_at(int64_t frame) const {
  const bool is_end = sf_error(file_.get()) == SF_ERR_NO_ERROR;
  const bool is_counting = info_.frames == SF_COUNT_MAX;
  arrays::refuse(
      place_ + ": sample " + std::to_string(frame),
      is_end ? std::string("no more data")
             : std::string("data that cannot be decoded (") + sf_strerror(file_.get()) + ")",
      is_counting ? std::string("samples up to the end of the file")
                  : std::to_string(frames()) + " samples as its head says",
      "the file is cut short or damaged; copy or convert it again");
}

// Where the checksum of a part of a FLAC file is wrong, the samples are zeros, and only the error
// tells, which the next call clears.
int64_t Sound::decode(int64_t frame, int64_t count, float* out) {
  const int64_t got = sf_readf_float(file_.get(), out, count);
  if (sf_error(file_.get()) != SF_ERR_NO_ERROR) refuse_at(frame);
  return got;
}

// A FLAC file that was written to a pipe does not say its length, nor do many MP3 files, so all of
// it is decoded.
int64_t Sound::counted() {
  std::vector<float> piece(size_t(kPiece * channels()));
  int64_t count = 0;
  while (count <= kMostCounted) {
    const int64_t got = decode(count, kPiece, piece.data());
    if (got <= 0) break;
    count += got;
  }
  if (sf_seek(file_.get(), 0, SEEK_SET) != 0) refuse_at(count);
  return count;
}

// Some codings, such as GSM 6.10, can only be decoded from their start.
void Sound::go_to(int64_t frame, float* piece) {
  if (info_.seekable) {
    if (frame > 0 && sf_seek(file_.get(), frame, SEEK_SET) != frame) refuse_at(frame);
    return;
  }
  for (int64_t at = 0; at < frame;) {
    const int64_t got = decode(at, std::min(kPiece, frame - at), piece);
    if (got <= 0) refuse_at(at);
    at += got;
  }
}

void Sound::read(int64_t start, int64_t count, float* out, int64_t stride) {
  std::vector<float> piece(size_t(kPiece * channels()));
  go_to(start, piece.data());
  for (int64_t done = 0; done < count;) {
    const int64_t got = decode(start + done, std::min(kPiece, count - done), piece.data());
    if (got <= 0) refuse_at(start + done);
    for (int64_t channel = 0; channel < channels(); ++channel)
      for (int64_t i = 0; i < got; ++i)
        out[channel * stride + done + i] = piece[size_t(i * channels() + channel)];
    done += got;
  }
}

}  // namespace audio
