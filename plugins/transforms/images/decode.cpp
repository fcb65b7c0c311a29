// decode.cpp: limits, reduction and orientation, for all formats.
#include "images/decode.hpp"

namespace images {

Picture::Picture(Bytes bytes, int64_t max_pixels, bool turned) : codec_(codec_for(bytes)) {
  const Header header = codec_.open(bytes);
  stored_ = header.size;
  if (turned) turn_ = Turn(header.orientation);
  if (stored_.width < 1 || stored_.height < 1)
    refuse("image", "a size of " + text_of(stored_), "at least 1x1", "restore the file");
  if (int64_t{stored_.width} * stored_.height > max_pixels)
    refuse("image", text_of(stored_) + " pixels", "at most " + std::to_string(max_pixels),
           "raise max_pixels if the file is what it should be");
}

int Picture::reduction_for(cv::Size region, cv::Size least) const {
  if (!codec_.can_reduce()) return 1;
  for (int reduction = 8; reduction > 1; reduction /= 2)
    if (region.width / reduction >= least.width && region.height / reduction >= least.height)
      return reduction;
  return 1;
}

cv::Mat Picture::read(Channels channels, int reduction, cv::Rect region, cv::Mat* target) {
  if (turn_.is_none()) return codec_.read(channels, reduction, region, target);
  const cv::Rect stored = turn_.stored(region, reduced(reduction));
  const cv::Mat pixels = codec_.read(channels, reduction, stored, nullptr);
  thread_local cv::Mat turned;
  if (!target) target = &turned;
  turn_.apply(pixels, *target);
  return *target;
}

}  // namespace images
