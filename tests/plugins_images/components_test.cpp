// components_test.cpp: the transforms as a manifest reaches them.
#include "../builtins/project.hpp"

using namespace broch::test;

namespace {

// The lines that come out for the keys 1, 2, ….
struct Result {
  Lines lines;
  std::string failure;
};

Result transformed(const std::string& components, const std::string& transforms,
                   const std::string& more = "", int keys = 2) {
  Project project;
  const std::string album = R"(dataflow={"use": "test.album", "with": {)" + project.trace_option() +
                            R"(, "components": )" + components + R"(, "transforms": [)" +
                            transforms + "]" + more + "}}";
  project.train({R"(plugins=[")" ALBUM R"(", ")" MODELS R"("])", album,
                 R"(trainer={"use": "simple"})", "steps_per_epoch=" + std::to_string(keys)});
  Lines lines = project.trace();
  lines.resize(std::min(lines.size(), size_t(keys)));
  return {lines, project.failure};
}

// What comes out for key 1.
std::string first(const std::string& components, const std::string& transforms,
                  const std::string& more = "") {
  const Result result = transformed(components, transforms, more, 1);
  CHECK(result.failure == "");
  return result.lines.empty() ? "nothing" : result.lines[0];
}

std::string kind_of(const std::string& line) { return line.substr(0, line.find(' ')); }
std::string from(const std::string& line, const std::string& start) {
  const size_t at = line.find(start);
  return at == std::string::npos ? line : line.substr(at + start.size());
}

const std::string kMoving = R"("boxes": 1, "points": [2], "mask": 3)";
const std::string kScene = R"(["bytes", "boxes", "points", "mask"])";

}  // namespace

TEST_CASE("components: each transform works on uint8 and float32") {
  struct Case {
    std::string name, options, shape, dtype;  // dtype: "" as the image's
    bool is_random;
  };
  const std::vector<Case> cases = {
      {"random-crop", R"("crop_shape": [20, 10])", "[20,10,3]", "", true},
      {"center-crop", R"("crop_shape": [20, 10])", "[20,10,3]", "", false},
      {"random-crop-random-shape", R"("wmin": 8, "hmin": 8, "wmax": 8, "hmax": 8)", "[8,8,3]", "",
       true},
      {"google-net-random-crop-and-resize", R"("target_shape": 16)", "[16,16,3]", "", true},
      {"random-cutout", R"("h_range": [4, 8], "w_range": [5, 5])", "[24,32,3]", "", true},
      {"random-erasing", R"("prob": 1, "fill_std": 9)", "[24,32,3]", "", true},
      {"center-paste", R"("background_shape": [40, 40])", "[40,40,3]", "", false},
      {"random-paste", R"("background_shape": [40, 40], "fill_std": 3)", "[40,40,3]", "", true},
      {"flip", R"("horiz": true, "prob": 1)", "[24,32,3]", "", false},
      {"resize", R"("shape": [7, 9])", "[7,9,3]", "", false},
      {"random-resize", R"("xrange": [9.5, 9.6], "yrange": [7, 7.2], "in_pixels": true)",
       "[7,10,3]", "", false},
      {"resize-shortest-edge", R"("size": 12)", "[12,16,3]", "", false},
      {"random-transpose", R"("prob": 1)", "[32,24,3]", "", false},
      {"shift", R"("horiz_frac": 0.9, "vert_frac": 0.9)", "[24,32,3]", "", true},
      {"rotation", R"("max_deg": 90)", "[24,32,3]", "", true},
      {"rotation-and-crop-valid", R"("max_deg": 0)", "[24,32,3]", "", false},
      {"affine", R"("scale": [0.5, 2], "translate_frac": [0.2, 0.2], "shear": 10)", "[24,32,3]", "",
       true},
      {"gaussian-deform", R"("anchors": [[0.2, 0.3], [0.7, 0.5]])", "[24,32,3]", "", true},
      {"hue", "", "[24,32,3]", "", true},
      {"saturation", "", "[24,32,3]", "", true},
      {"brightness", R"("delta": 60)", "[24,32,3]", "", true},
      {"brightness-scale", R"("range": [0.5, 0.9])", "[24,32,3]", "", true},
      {"contrast", R"("factor_range": [0.5, 2], "rgb": true)", "[24,32,3]", "", true},
      {"gamma", "", "[24,32,3]", "", true},
      {"gaussian-blur", R"("size_range": [1, 8], "sigma_range": [0.5, 3])", "[24,32,3]", "", true},
      {"lighting", R"("std": 9, "eigval": [1, 2, 3], "eigvec": [[1, 0, 0], [0, 1, 0], [0, 0, 1]])",
       "[24,32,3]", "", true},
      {"min-max-normalize", "", "[24,32,3]", "float32", false},
      {"mean-variance-normalize", R"("all_channel": false)", "[24,32,3]", "float32", false},
      {"clip", R"("min": 10)", "[24,32,3]", "", false},
      {"grayscale", "", "[24,32,1]", "", false},
      {"grayscale", R"("keepdims": false)", "[24,32]", "", false},
      {"grayscale", R"("keepshape": true)", "[24,32,3]", "", false},
      {"color-space", R"("mode": "rgb_to_lab")", "[24,32,3]", "", false},
      {"to-uint8", "", "[24,32,3]", "uint8", false},
      {"to-float32", "", "[24,32,3]", "float32", false},
      {"jpeg-noise", R"("quality_range": [5, 90])", "[24,32,3]", "", true},
      {"gaussian-noise", R"("sigma": 20)", "[24,32,3]", "", true},
      {"salt-pepper-noise", "", "[24,32,3]", "", true}};
  for (const std::string dtype : {"uint8", "float32"})
    for (const Case& one : cases) {
      CAPTURE(one.name);
      CAPTURE(one.options);
      const std::string image = dtype == "uint8" ? R"(["bytes"])" : R"(["floats"])";
      constexpr int kKeys = 4;
      const Result result = transformed(image, use(one.name, one.options), "", kKeys);
      CHECK(result.failure == "");
      REQUIRE(result.lines.size() == kKeys);
      for (const std::string& line : result.lines)
        CHECK(kind_of(line) == (one.dtype.empty() ? dtype : one.dtype) + one.shape);
      const std::set<std::string> different(result.lines.begin(), result.lines.end());
      CHECK((different.size() > 1) == one.is_random);
      CHECK(transformed(image, use(one.name, one.options), "", kKeys).lines == result.lines);
    }
}

TEST_CASE("components: a rectangle in bytes is filled with a whole number, rounded towards 0") {
  const auto cut = [](const std::string& fill) {
    return first(R"(["bytes"])",
                 use("random-cutout", R"("h_range": [9, 9], "w_range": [9, 9], "fill": )" + fill));
  };
  CHECK(cut("127.6") == cut("127"));
  CHECK(cut("127.6") != cut("128"));
}

TEST_CASE("components: policies change images of uint8") {
  for (const std::string name : {"rand-augment", "trivial-augment"}) {
    const Result result = transformed(R"(["bytes"])", use(name), "", 12);
    CHECK(result.failure == "");
    std::set<std::string> different(result.lines.begin(), result.lines.end());
    CHECK(different.size() >= 6);
    for (const std::string& line : result.lines) CHECK(kind_of(line) == "uint8[24,32,3]");
  }
}

TEST_CASE("components: boxes and points move with the pixels") {
  const auto moved = [](const std::string& name, const std::string& options) {
    const std::string line = first(R"(["bytes", "boxes", "points"])",
                                   use(name, options + R"(, "boxes": 1, "points": 2)"));
    return from(line, "; ");
  };
  CHECK(moved("flip", R"("horiz": true, "prob": 1)") ==
        "float32[1,4] 22 3 30 8; float64[2,2] 31 1 2 20");
  CHECK(moved("flip", R"("vert": true, "prob": 1)") ==
        "float32[1,4] 2 16 10 21; float64[2,2] 1 23 30 4");
  CHECK(moved("random-transpose", R"("prob": 1)") ==
        "float32[1,4] 3 2 8 10; float64[2,2] 1 1 20 30");
  CHECK(moved("resize", R"("shape": [48, 16])") ==
        "float32[1,4] 1 6 5 16; float64[2,2] 0.5 2 15 40");
  CHECK(moved("center-crop", R"("crop_shape": [20, 28])") ==
        "float32[1,4] 0 1 8 6; float64[2,2] -1 -1 28 18");
  CHECK(moved("center-paste", R"("background_shape": [30, 40])") ==
        "float32[1,4] 6 6 14 11; float64[2,2] 5 4 34 23");
  // Half a turn is both flips.
  const std::string turn =
      R"("max_deg": 180, "step_deg": 180, "center_range": [0.5, 0.5], "boxes": 1)";
  std::set<std::string> turned;
  const Result result = transformed(R"(["bytes", "boxes"])", use("rotation", turn), "", 12);
  CHECK(result.failure == "");
  for (const std::string& line : result.lines) turned.insert(from(line, "; "));
  CHECK(turned == std::set<std::string>{"float32[1,4] 2 3 10 8", "float32[1,4] 22 16 30 21"});
}

TEST_CASE("components: a mask moves as the image does") {
  // Mask and image have the same content, so that they stay the same where nothing is interpolated.
  for (const std::string& transform :
       {use("random-crop", R"("crop_shape": [9, 9], )" + kMoving),
        use("flip", R"("horiz": true, )" + kMoving), use("random-transpose", kMoving),
        use("random-paste", R"("background_shape": [50, 50], )" + kMoving),
        use("shift", R"("horiz_frac": 0.5, "vert_frac": 0.5, )" + kMoving),
        use("rotation", R"("max_deg": 70, "interp": "nearest", )" + kMoving)}) {
    CAPTURE(transform);
    const Result result = transformed(kScene, transform, "", 6);
    CHECK(result.failure == "");
    REQUIRE(result.lines.size() == 6);
    for (const std::string& line : result.lines)
      CHECK(line.substr(0, line.find(';')) == line.substr(line.rfind(';') + 2));
  }
}

TEST_CASE("components: memory that is lent to a point stays as it is") {
  const Result result = transformed(R"(["square", "lent"])",
                                    use("random-transpose", R"("prob": 1, "mask": 1)"), "", 3);
  CHECK(result.failure == "");
  REQUIRE(result.lines.size() == 3);
  for (const std::string& line : result.lines) CHECK(line == result.lines[0]);
}

TEST_CASE("components: a tensor with gaps between its elements is refused") {
  const std::string labels =
      transformed(R"(["batch", "spread"])", use("mixup", R"("output": "pair")")).failure;
  CAPTURE(labels);
  CHECK(labels.find("labels: found a tensor with gaps between its elements") != std::string::npos);
  const std::string image = transformed(R"(["columns"])", use("gamma")).failure;
  CAPTURE(image);
  CHECK(image.find("found uint8 of shape [24, 24] with gaps between its elements") !=
        std::string::npos);
}

TEST_CASE("components: a mask has 0 beyond its edge, whatever the image has") {
  const auto shifted = [](const std::string& value) {
    const Result result = transformed(kScene,
                                      use("shift", R"("horiz_frac": 0.5, "border": "constant", )" +
                                                       kMoving + R"(, "border_value": )" + value),
                                      "", 4);
    CHECK(result.failure == "");
    REQUIRE(result.lines.size() == 4);
    return result.lines;
  };
  const Lines gray = shifted("128"), black = shifted("0");
  size_t moved = 0;
  for (size_t i = 0; i < gray.size(); ++i) {
    CHECK(gray[i].substr(gray[i].rfind(';')) == black[i].substr(black[i].rfind(';')));
    moved += gray[i].substr(0, gray[i].find(';')) != black[i].substr(0, black[i].find(';'));
  }
  CHECK(moved > 0);
}

TEST_CASE("components: the image may have any place or name") {
  const std::string direct = first(R"(["bytes"])", use("brightness", R"("delta": 9)"));
  const std::string second =
      first(R"(["labels", "bytes"])", use("brightness", R"("delta": 9, "component": 1)"));
  CHECK(kind_of(from(second, "; ")) == kind_of(direct));
  const std::string named = first(
      R"(["labels", "bytes"])", use("grayscale", R"("component": "bytes")"), R"(, "named": true)");
  CHECK(named.find("labels: int64[4]") == 0);
  CHECK(named.find("; bytes: uint8[24,32,1]") != std::string::npos);
  // An image behind what moves with it.
  const std::string behind =
      first(R"(["boxes", "bytes"])",
            use("flip", R"("horiz": true, "prob": 1, "component": 1, "boxes": [0])"));
  CHECK(behind.find("float32[1,4] 22 3 30 8; uint8[24,32,3]") == 0);
  CHECK(transformed(R"(["bytes"])", use("gamma", R"("component": "image")"))
            .failure.find("found a point with the components 0, expected a component "
                          "'image' in it") != std::string::npos);
}

TEST_CASE("components: options that cannot be are refused") {
  const auto refused = [](const std::string& name, const std::string& options) {
    return transformed(R"(["bytes"])", use(name, options)).failure;
  };
  const auto says = [](const std::string& failure, const std::string& words) {
    CAPTURE(failure);
    CHECK(failure.find(words) != std::string::npos);
  };
  says(refused("flip", R"("horiz": true, "vert": true)"), "expected one of them to be true");
  says(refused("rotation", R"("max_deg": 90, "step_deg": 45)"), "expected a divisor of 180");
  says(refused("random-cutout", R"("h_range": [8, 4], "w_range": [1, 1])"), "found 8 before 4");
  says(refused("random-cutout", R"("h_range": [50, 50], "w_range": [1, 1])"),
       "found 32x24 pixels (width x height), expected at least the rectangle's 1x50");
  says(refused("rand-augment", R"("magnitude": 31)"), "expected less than num_magnitude_bins, 31");
  says(refused("salt-pepper-noise", R"("white_prob": 0.6, "black_prob": 0.6)"), "at most 1");
  says(refused("gaussian-blur", R"("size_range": [3, 3])"), "found no number in the range");
  says(refused("random-crop", R"("crop_shape": [40, 10])"), "resize or paste before");
  says(refused("random-crop-random-shape", R"("wmin": 9, "hmin": 8, "wmax": 9, "hmax": 7)"),
       "found 7, expected at least the minimum, 8");
  for (const char* const name : {"center-paste", "random-paste"})
    says(refused(name, R"("background_shape": [40, 10])"),
         "image: found 32x24 pixels (width x height), expected at most the background's 10x40");
  says(refused("grayscale", R"("component": 4)"),
       "found a point of 1 components, expected component 4 in it");
  says(refused("flip", R"("horiz": true, "boxes": 0)"),
       "expected float32 or float64 of shape [N, 4]");
}

TEST_CASE("components: files are decoded") {
  const std::string photo = R"(, "file": ")" FILES_DIR R"(/plain.jpg")";
  const auto decoded = [&](const std::string& transform) {
    return kind_of(first(R"(["file"])", transform, photo));
  };
  CHECK(decoded(use("decode-image")) == "uint8[108,89,3]");
  CHECK(decoded(use("decode-image", R"("channels": "gray")")) == "uint8[108,89,1]");
  CHECK(decoded(use("decode-image", R"("min_size": 22)")) == "uint8[27,23,3]");
  CHECK(decoded(use("decode-crop", R"("target_shape": [20, 30])")) == "uint8[20,30,3]");
  CHECK(decoded(use("decode-crop", R"("target_shape": [20, 30], "flip": 0.5, "mean": [120])")) ==
        "float32[3,20,30]");
  CHECK(transformed(R"(["file"])", use("decode-image", R"("max_pixels": 100)"), photo)
            .failure.find("component 0: image: found 89x108 pixels, expected at most 100") !=
        std::string::npos);
  CHECK(transformed(R"(["bytes"])", use("decode-image"), photo)
            .failure.find("expected the bytes of a file: uint8 of one dimension") !=
        std::string::npos);
}

TEST_CASE("components: crop-flip-normalize is the separate steps at once") {
  const std::string once =
      first(R"(["bytes"])", use("crop-flip-normalize", R"("flip": 0, "mean": [9], "std": [1])"));
  CHECK(kind_of(once) == "float32[3,24,32]");
  const Result padded =
      transformed(R"(["bytes"])", use("crop-flip-normalize", R"("pad": 4)"), "", 8);
  CHECK(std::set<std::string>(padded.lines.begin(), padded.lines.end()).size() == 8);
  CHECK(kind_of(first(R"(["bytes"])", use("crop-flip-normalize", R"("crop_shape": [8, 9])"))) ==
        "float32[3,8,9]");
  CHECK(transformed(R"(["bytes"])", use("crop-flip-normalize", R"("mean": [1, 2])"))
            .failure.find("mean: found 2 numbers") != std::string::npos);
}

TEST_CASE("components: mixup and cutmix") {
  for (const std::string name : {"mixup", "cutmix"}) {
    const Result soft =
        transformed(R"(["batch", "labels"])", use(name, R"("num_classes": 4)"), "", 4);
    CHECK(soft.failure == "");
    for (const std::string& line : soft.lines) {
      CHECK(kind_of(line) == "float32[4,6,8,3]");
      std::istringstream numbers(from(line, "float32[4,4] "));
      for (int row = 0; row < 4; ++row) {
        double sum = 0, number = 0;
        for (int i = 0; i < 4 && numbers >> number; ++i) sum += number;
        CHECK(sum == doctest::Approx(1));
      }
    }
    const std::string pair =
        first(R"(["batch", "labels"])", use(name, R"("output": "pair")"), R"(, "named": true)");
    CHECK(pair.find("labels: int64[4]") != std::string::npos);
    CHECK(pair.find("labels_other: int64[4]") != std::string::npos);
    CHECK(pair.find("lambda: float32[] ") != std::string::npos);
    const Result refused = transformed(R"(["batch", "labels"])", use(name));
    CAPTURE(refused.failure);
    CHECK(refused.failure.find("found null, expected the number of classes") != std::string::npos);
    const Result masks = transformed(R"(["batch", "batch"])", use(name, R"("num_classes": 4)"));
    CAPTURE(masks.failure);
    CHECK(masks.failure.find("labels: found shape (4, 6, 8, 3), expected integers of shape [N]") !=
          std::string::npos);
  }
}

TEST_CASE("components: transforms that are applied, chosen and ordered randomly") {
  const std::string flip = use("flip", R"("horiz": true, "prob": 1)");
  const std::string plain = first(R"(["bytes"])", ""), flipped = first(R"(["bytes"])", flip);
  const auto with = [](const std::string& name, const std::string& options) {
    return first(R"(["bytes"])", use(name, options));
  };
  CHECK(with("random-apply-aug", R"("prob": 0, "aug": )" + flip) == plain);
  CHECK(with("random-apply-aug", R"("prob": 1, "aug": )" + flip) == flipped);
  const std::string lists = R"("aug_lists": [)" + flip + ", " + use("clip") + "]";
  CHECK(with("random-choose-aug", lists + R"(, "prob": [1, 0])") == flipped);
  CHECK(with("random-choose-aug", lists + R"(, "prob": [0, 1])") == plain);
  CHECK(transformed(R"(["bytes"])", use("random-choose-aug", lists + R"(, "prob": [1])"))
            .failure.find("found 1 numbers, expected one for each of the 2 transforms") !=
        std::string::npos);

  const std::string doubled = use("brightness-scale", R"("range": [2, 2])");
  const std::string limited = use("clip", R"("max": 100)");
  const Result ordered = transformed(
      R"(["bytes"])", use("random-order-aug", R"("aug_lists": [)" + doubled + ", " + limited + "]"),
      "", 12);
  CHECK(ordered.failure == "");
  CHECK(std::set<std::string>(ordered.lines.begin(), ordered.lines.end()) ==
        std::set<std::string>{first(R"(["bytes"])", doubled + ", " + limited),
                              first(R"(["bytes"])", limited + ", " + doubled)});
}
