// exif.hpp: the orientation of an image, as the camera noted it.
#pragma once
#include "images/pixels.hpp"

namespace images {

// The orientation, 1 to 8, of an Exif block, which is the header of TIFF and what follows.
// "Exif\0\0" may come before it, as in JPEG. 1, which is upright, if the block does not say it or
// is damaged. Source: CIPA DC-008 (Exif 2.32), 4.6.4.
int exif_orientation(Bytes block);

// The parts of an orientation: the picture is the stored one, transposed first, then mirrored.
struct Turn {
  explicit Turn(int orientation)
      : transposed(orientation >= 5),
        mirror_x(orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7),
        mirror_y(orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8) {}
  bool is_none() const { return !transposed && !mirror_x && !mirror_y; }
  // The size of the picture, from that of the stored one; and the other way round.
  cv::Size turned(cv::Size size) const {
    return transposed ? cv::Size(size.height, size.width) : size;
  }
  // Where a region of the picture, which has this size, lies in the stored one.
  cv::Rect stored(cv::Rect region, cv::Size picture) const;
  // Turns stored pixels. to: of the turned size, and not the same memory.
  void apply(const cv::Mat& from, cv::Mat& to) const;

  bool transposed, mirror_x, mirror_y;
};

}  // namespace images
