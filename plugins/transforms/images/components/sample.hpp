// sample.hpp: an image of a data point, with what moves with it.
#pragma once
#include <functional>
#include <opencv2/imgproc.hpp>

#include "images/components/places.hpp"
#include "images/pixels.hpp"

namespace images {

// Rows x columns, or rows x columns x channels, of uint8 or float32. A view.
cv::Mat mat_of(const broch_dl_tensor& tensor, const std::string& what);

// Reads the image of `in`, lets it be changed, and writes all components to `out` in finish.
class Sample {
 public:
  Sample(broch::PointReader& in, broch::PointWriter& out, const Places& places);

  const cv::Mat& image() const { return image_; }
  cv::Size size() const { return image_.size(); }

  // The image that takes the place of this one: not initialized, in memory of the point that is
  // made, so that nothing is copied later. image() stays readable until set.
  cv::Mat make(cv::Size size, int type);
  cv::Mat make() { return make(image_.size(), image_.type()); }
  // Several steps follow: what they make lies in their own memory, and is copied once at the end.
  void hold() { held_ = true; }
  // Takes the place of image(). It may be a view of it.
  void set(const cv::Mat& image) { image_ = image; }
  // keeps_channels: whether an image of 1 channel has a third dimension.
  void keep_channels(bool keeps) { has_channels_ = keeps; }

  // How pixels move: a place (x, y) of the image goes to matrix * (x, y, 1).
  void move_coordinates(const cv::Matx23d& matrix);
  // The same change for all masks.
  void change_masks(const std::function<void(cv::Mat& mask)>& change);

  void finish();

 private:
  struct Coordinates {
    uint32_t index;
    bool is_boxes;
    std::vector<cv::Point2d> points;  // of boxes all four corners
  };
  struct Mask {
    uint32_t index;
    bool has_channels;
    cv::Mat pixels;
  };

  void read_coordinates(const std::vector<ComponentName>& places, bool is_boxes);
  bool is_passed_on(uint32_t index) const;
  void write_until(uint32_t end);
  void write(uint32_t index);
  void write_coordinates(const Coordinates& coordinates);
  cv::Mat allocate(cv::Size size, int type, bool has_channels, const char* name);

  broch::PointReader& in_;
  broch::PointWriter& out_;
  uint32_t index_, count_, written_ = 0;
  cv::Mat image_, allocated_;
  bool has_channels_, held_ = false;
  std::vector<Coordinates> coordinates_;
  std::vector<Mask> masks_;
};

}  // namespace images
