//! predict.rs: the same as predict.c in Rust, without a crate.
//! rustc predict.rs -L PREFIX/lib -C link-arg=-Wl,-rpath,PREFIX/lib
use std::ffi::{CStr, CString};
use std::io::Read;
use std::os::raw::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};

const FLOAT32: i32 = 1;

#[repr(C)]
struct Error {
    status: i32,
    message: [c_char; 2048],
}

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    bytes: usize,
    dtype: i32,
    rank: u32,
    shape: [i64; 8],
}

#[repr(C)]
struct Info {
    name: *const c_char,
    dtype: i32,
    rank: u32,
    shape: [i64; 8],
    symbols: [*const c_char; 8],
    least: [i64; 8],
}

#[link(name = "broch")]
extern "C" {
    fn libbroch_open(
        file: *const c_char,
        options: *const c_void,
        model: *mut *mut c_void,
        error: *mut Error,
    ) -> c_int;
    fn libbroch_close(model: *mut c_void);
    fn libbroch_input(model: *const c_void, number: usize, info: *mut Info, error: *mut Error)
        -> c_int;
    fn libbroch_run(
        model: *mut c_void,
        inputs: *const Tensor,
        input_count: usize,
        outputs: *mut Tensor,
        output_count: usize,
        cancel: *mut c_void,
        error: *mut Error,
    ) -> c_int;
    fn libbroch_free(data: *mut c_void);
}

fn checked(call: impl FnOnce(*mut Error) -> c_int) -> Result<(), String> {
    let mut error = Error { status: 0, message: [0; 2048] };
    match call(&mut error) {
        0 => Ok(()),
        // The library ends the message with 0.
        _ => Err(unsafe { CStr::from_ptr(error.message.as_ptr()) }.to_string_lossy().into_owned()),
    }
}

struct Model(*mut c_void);

// The library allows any number of threads to use a model.
unsafe impl Send for Model {}
unsafe impl Sync for Model {}

impl Drop for Model {
    fn drop(&mut self) {
        unsafe { libbroch_close(self.0) }
    }
}

impl Model {
    fn open(file: &str) -> Result<Model, String> {
        let file = CString::new(file).map_err(|error| error.to_string())?;
        let mut model = null_mut();
        checked(|error| unsafe { libbroch_open(file.as_ptr(), null(), &mut model, error) })?;
        Ok(Model(model))
    }

    /// The shape of the first input; -1 is a size that varies.
    fn shape(&self) -> Result<Vec<i64>, String> {
        let mut info = Info {
            name: null(),
            dtype: 0,
            rank: 0,
            shape: [0; 8],
            symbols: [null(); 8],
            least: [0; 8],
        };
        checked(|error| unsafe { libbroch_input(self.0, 0, &mut info, error) })?;
        Ok(info.shape[..info.rank as usize].to_vec())
    }

    /// The elements of the only output, and its shape.
    fn run(&self, numbers: &[f32], sizes: &[i64]) -> Result<(Vec<f32>, Vec<i64>), String> {
        let mut shape = [0; 8];
        shape[..sizes.len()].copy_from_slice(sizes);
        let input = Tensor {
            data: numbers.as_ptr() as *mut c_void,
            bytes: numbers.len() * 4,
            dtype: FLOAT32,
            rank: sizes.len() as u32,
            shape,
        };
        let mut output = Tensor { data: null_mut(), bytes: 0, dtype: 0, rank: 0, shape: [0; 8] };
        checked(|error| unsafe {
            libbroch_run(self.0, &input, 1, &mut output, 1, null_mut(), error)
        })?;
        let values = unsafe {
            let data = output.data as *const f32;
            let values = std::slice::from_raw_parts(data, output.bytes / 4).to_vec();
            libbroch_free(output.data);
            values
        };
        Ok((values, output.shape[..output.rank as usize].to_vec()))
    }
}

fn number(word: &str) -> Result<f32, String> {
    word.parse().map_err(|_| format!("found '{word}', expected a number"))
}

fn predict(file: &str) -> Result<(), String> {
    let model = Model::open(file)?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| error.to_string())?;
    let numbers = text.split_whitespace().map(number).collect::<Result<Vec<f32>, String>>()?;
    let mut shape = model.shape()?;
    let (count, each) = (numbers.len() as i64, shape[1..].iter().product::<i64>());
    if count % each != 0 {
        return Err(format!("found {count} numbers, expected {each} for each example"));
    }
    shape[0] = count / each;
    let (values, sizes) = model.run(&numbers, &shape)?;
    for row in values.chunks(if sizes.len() > 1 { sizes[1] as usize } else { 1 }) {
        let words: Vec<String> = row.iter().map(|value| format!("{value:.4}")).collect();
        println!("{}", words.join(" "));
    }
    Ok(())
}

fn main() {
    let file = std::env::args().nth(1).unwrap_or_else(|| {
        eprintln!("usage: predict BUNDLE < NUMBERS");
        std::process::exit(2)
    });
    if let Err(message) = predict(&file) {
        eprintln!("{message}");
        std::process::exit(1);
    }
}
