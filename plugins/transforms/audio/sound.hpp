// sound.hpp: sound files in memory, decoded by libsndfile: WAV, FLAC, Ogg Vorbis, Opus, AIFF, MP3
// and others.
#pragma once
#include <sndfile.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace audio {

class Sound {
 public:
  // bytes: the whole file, borrowed. place: for messages. Throws Error if it is no sound file,
  // or one without samples.
  Sound(std::string_view bytes, const std::string& place);
  Sound(const Sound&) = delete;
  Sound& operator=(const Sound&) = delete;

  int64_t channels() const { return info_.channels; }
  int64_t frames() const { return info_.frames; }  // samples of each channel
  int64_t rate() const { return info_.samplerate; }
  // Once: reads count frames from start on: channel c goes to out + c * stride. Integers become
  // values in [-1, 1]; floats stay what they are. Throws Error if the file ends before, or is
  // damaged there.
  void read(int64_t start, int64_t count, float* out, int64_t stride);

 private:
  struct Close {
    void operator()(SNDFILE* file) const { sf_close(file); }
  };
  // What libsndfile reads from.
  struct Stream {
    std::string_view bytes;
    sf_count_t at = 0;
  };
  static SF_VIRTUAL_IO functions();
  int64_t counted();
  // Goes to a frame. piece: memory for kPiece frames.
  void go_to(int64_t frame, float* piece);
  // The next frames, up to count; 0 at the end. frame: where they are, for messages.
  int64_t decode(int64_t frame, int64_t count, float* out);
  [[noreturn]] void refuse_at(int64_t frame) const;

  std::string place_;
  Stream stream_;
  SF_INFO info_{};
  std::unique_ptr<SNDFILE, Close> file_;
};

}  // namespace audio
