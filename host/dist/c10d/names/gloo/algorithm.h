// Gloo's headers are not among LibTorch's; ProcessGroupGloo.hpp only passes pointers to what is
// declared here and in the files beside this one, so the names are enough. What is built on them is
// made and used by LibTorch alone.
#pragma once
