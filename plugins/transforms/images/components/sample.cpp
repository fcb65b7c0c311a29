// sample.cpp: takes images from data points, and puts them back.
#include "images/components/sample.hpp"

#include <algorithm>

namespace images {

cv::Mat mat_of(const broch_dl_tensor& tensor, const std::string& what) {
  const broch_dtype dtype = broch::dtype_of(tensor.dtype);
  const int64_t channels = tensor.ndim == 3 ? tensor.shape[2] : 1;
  const bool fits = (tensor.ndim == 2 || tensor.ndim == 3) && channels >= 1 && channels <= 4 &&
                    (dtype == BROCH_UINT8 || dtype == BROCH_FLOAT32) && broch::is_compact(tensor) &&
                    tensor.device.device_type == BROCH_DL_CPU && tensor.shape[0] <= INT16_MAX &&
                    tensor.shape[1] <= INT16_MAX && tensor.shape[0] > 0 && tensor.shape[1] > 0;
  if (!fits) {
    std::string found = broch::dtype_name(dtype) + " of shape [";
    for (int32_t i = 0; i < tensor.ndim; ++i)
      found += (i ? ", " : "") + std::to_string(tensor.shape[i]);
    found += broch::is_compact(tensor) ? "]" : "] with gaps between its elements";
    refuse(what, found,
           "uint8 or float32 of shape [height, width] or [height, width, channels], with 1 to 4 "
           "channels and sides up to 32767, compact in memory of the CPU",
           "decode or convert it before, or name another component", BROCH_E_INVALID_ARGUMENT);
  }
  const int type = CV_MAKETYPE(dtype == BROCH_UINT8 ? CV_8U : CV_32F, int(channels));
  return cv::Mat(int(tensor.shape[0]), int(tensor.shape[1]), type,
                 static_cast<char*>(tensor.data) + tensor.byte_offset);
}

Sample::Sample(broch::PointReader& in, broch::PointWriter& out, const Places& places)
    : in_(in), out_(out), index_(places.image.in(in)), count_(in.size()) {
  const broch_dl_tensor tensor = in.view(index_);
  image_ = mat_of(tensor, "component " + places.image.text());
  has_channels_ = tensor.ndim == 3;
  read_coordinates(places.boxes, true);
  read_coordinates(places.points, false);
  for (const ComponentName& place : places.masks) {
    const uint32_t index = place.in(in);
    const broch_dl_tensor mask = in.view(index);
    masks_.push_back({index, mask.ndim == 3, mat_of(mask, "mask " + place.text())});
    if (masks_.back().pixels.size() != image_.size())
      refuse("mask " + place.text(), text_of(masks_.back().pixels.size()) + " pixels",
             "the image's " + text_of(image_.size()), "resize it before", BROCH_E_INVALID_ARGUMENT);
  }
}

void Sample::read_coordinates(const std::vector<ComponentName>& places, bool is_boxes) {
  for (const ComponentName& place : places) {
    const char* option = is_boxes ? "boxes" : "points";
    const uint32_t index = place.in(in_);
    const broch_dl_tensor tensor = in_.view(index);
    const int64_t width = is_boxes ? 4 : 2;
    const broch_dtype dtype = broch::dtype_of(tensor.dtype);
    if (tensor.ndim != 2 || tensor.shape[1] != width || !broch::is_compact(tensor) ||
        (dtype != BROCH_FLOAT32 && dtype != BROCH_FLOAT64))
      refuse(std::string(option) + " " + place.text(),
             broch::dtype_name(dtype) + " of " + std::to_string(tensor.ndim) + " dimensions",
             "float32 or float64 of shape [N, " + std::to_string(width) + "]",
             "convert it before, or name another component", BROCH_E_INVALID_ARGUMENT);
    const char* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
    const auto number = [&](int64_t i) {
      return dtype == BROCH_FLOAT32 ? double(reinterpret_cast<const float*>(data)[i])
                                    : reinterpret_cast<const double*>(data)[i];
    };
    Coordinates all{index, is_boxes, {}};
    for (int64_t i = 0; i < tensor.shape[0] * width; i += width) {
      if (!is_boxes) {
        all.points.emplace_back(number(i), number(i + 1));
        continue;
      }
      for (const int corner : {0, 1, 2, 3})
        all.points.emplace_back(number(i + 2 * (corner & 1)), number(i + 1 + (corner & 2)));
    }
    coordinates_.push_back(std::move(all));
  }
}

bool Sample::is_passed_on(uint32_t index) const {
  const auto is_it = [index](const auto& one) { return one.index == index; };
  return index != index_ && std::none_of(masks_.begin(), masks_.end(), is_it) &&
         std::none_of(coordinates_.begin(), coordinates_.end(), is_it);
}

cv::Mat Sample::allocate(cv::Size size, int type, bool has_channels, const char* name) {
  const int channels = CV_MAT_CN(type);
  const int64_t shape[] = {size.height, size.width, channels};
  const broch_dl_type element =
      broch::dl_type(CV_MAT_DEPTH(type) == CV_8U ? BROCH_UINT8 : BROCH_FLOAT32);
  const size_t rank = has_channels || channels > 1 ? 3 : 2;
  return cv::Mat(size, type, out_.allocate(element, shape, rank, name));
}

cv::Mat Sample::make(cv::Size size, int type) {
  bool is_next = !held_ && allocated_.empty();
  for (uint32_t i = written_; i < index_; ++i) is_next = is_next && is_passed_on(i);
  if (!is_next) return cv::Mat(size, type);
  write_until(index_);
  allocated_ = allocate(size, type, has_channels_, in_.name(index_));
  written_ = index_ + 1;
  return allocated_;
}

void Sample::move_coordinates(const cv::Matx23d& m) {
  for (Coordinates& coordinates : coordinates_)
    for (cv::Point2d& p : coordinates.points)
      p = {m(0, 0) * p.x + m(0, 1) * p.y + m(0, 2), m(1, 0) * p.x + m(1, 1) * p.y + m(1, 2)};
}

void Sample::change_masks(const std::function<void(cv::Mat&)>& change) {
  for (Mask& mask : masks_) change(mask.pixels);
}

void Sample::finish() {
  // A function of OpenCV may have made new memory in place of what make gave it.
  if (!allocated_.empty() && image_.data != allocated_.data) {
    CV_Assert(image_.size() == allocated_.size() && image_.type() == allocated_.type());
    image_.copyTo(allocated_);
  }
  write_until(count_);
}

void Sample::write_until(uint32_t end) {
  for (; written_ < end; ++written_) write(written_);
}

void Sample::write(uint32_t index) {
  if (index == index_) {
    image_.copyTo(allocate(image_.size(), image_.type(), has_channels_, in_.name(index)));
    return;
  }
  for (const Mask& mask : masks_)
    if (mask.index == index) {
      const cv::Mat& pixels = mask.pixels;
      pixels.copyTo(allocate(pixels.size(), pixels.type(), mask.has_channels, in_.name(index)));
      return;
    }
  for (const Coordinates& coordinates : coordinates_)
    if (coordinates.index == index) return write_coordinates(coordinates);
  in_.move(index, out_);
}

void Sample::write_coordinates(const Coordinates& coordinates) {
  const broch_dl_tensor tensor = in_.view(coordinates.index);
  std::vector<double> numbers;
  const std::vector<cv::Point2d>& points = coordinates.points;
  for (size_t i = 0; i < points.size(); i += coordinates.is_boxes ? 4 : 1) {
    if (!coordinates.is_boxes) {
      numbers.insert(numbers.end(), {points[i].x, points[i].y});
      continue;
    }
    const auto [left, right] =
        std::minmax({points[i].x, points[i + 1].x, points[i + 2].x, points[i + 3].x});
    const auto [top, bottom] =
        std::minmax({points[i].y, points[i + 1].y, points[i + 2].y, points[i + 3].y});
    numbers.insert(numbers.end(), {left, top, right, bottom});
  }
  void* data = out_.allocate(tensor.dtype, tensor.shape, 2, in_.name(coordinates.index));
  if (tensor.dtype.bits == 64)
    std::copy(numbers.begin(), numbers.end(), static_cast<double*>(data));
  else
    std::transform(numbers.begin(), numbers.end(), static_cast<float*>(data),
                   [](double number) { return float(number); });
}

}  // namespace images
