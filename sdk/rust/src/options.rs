//! Options: one declaration makes the schema that the host checks and the struct that is read.
use crate::host::owned;
use crate::{sys, Host, Result};
use std::ffi::CString;

/// Reads the options of an instance by JSON pointer, such as "/layers/0". An option that the schema
/// requires, or gives a default, can always be read. [`options!`](crate::options!) does this for a
/// whole struct; use Config itself for options that change.
#[derive(Clone, Copy)]
pub struct Config {
    host: Host,
    table: &'static sys::broch_host_config,
}

impl Config {
    pub fn new(host: Host) -> Result<Config> {
        Ok(Config { host, table: host.require()? })
    }
    pub fn host(&self) -> Host {
        self.host
    }
    /// All options as JSON text.
    pub fn text(&self) -> Result<String> {
        let text = entry!(self.table, text).ok_or_else(|| self.host.lacks("text"))?;
        Ok(unsafe { owned(text(self.host.c())) })
    }
    /// BROCH_CONFIG_… of [`sys`].
    pub fn kind(&self, pointer: &str) -> Result<i32> {
        let kind = entry!(self.table, kind).ok_or_else(|| self.host.lacks("kind"))?;
        let pointer = CString::new(pointer)?;
        Ok(unsafe { kind(self.host.c(), pointer.as_ptr()) })
    }
    /// False if the option is null or absent.
    pub fn has(&self, pointer: &str) -> Result<bool> {
        Ok(self.kind(pointer)? > sys::BROCH_CONFIG_NULL)
    }
    pub fn boolean(&self, pointer: &str) -> Result<bool> {
        let (pointer, mut value) = (CString::new(pointer)?, 0);
        call!(self.host, self.table, get_bool, pointer.as_ptr(), &mut value)?;
        Ok(value != 0)
    }
    pub fn integer(&self, pointer: &str) -> Result<i64> {
        let (pointer, mut value) = (CString::new(pointer)?, 0);
        call!(self.host, self.table, get_i64, pointer.as_ptr(), &mut value)?;
        Ok(value)
    }
    pub fn number(&self, pointer: &str) -> Result<f64> {
        let (pointer, mut value) = (CString::new(pointer)?, 0.0);
        call!(self.host, self.table, get_f64, pointer.as_ptr(), &mut value)?;
        Ok(value)
    }
    pub fn string(&self, pointer: &str) -> Result<String> {
        let (pointer, mut value) = (CString::new(pointer)?, std::ptr::null());
        call!(self.host, self.table, get_string, pointer.as_ptr(), &mut value)?;
        Ok(unsafe { owned(value) })
    }
    /// The number of elements of an array or of members of an object.
    pub fn size(&self, pointer: &str) -> Result<u64> {
        let (pointer, mut value) = (CString::new(pointer)?, 0);
        call!(self.host, self.table, get_size, pointer.as_ptr(), &mut value)?;
        Ok(value)
    }
    /// The keys of an object, in the order in which they are written.
    pub fn keys(&self, pointer: &str) -> Result<Vec<String>> {
        let (text, mut keys) = (CString::new(pointer)?, Vec::new());
        for index in 0..self.size(pointer)? {
            let mut key = std::ptr::null();
            call!(self.host, self.table, get_key, text.as_ptr(), index, &mut key)?;
            keys.push(unsafe { owned(key) });
        }
        Ok(keys)
    }
    fn list<T: OptionType>(&self, pointer: &str) -> Result<Vec<T>> {
        (0..self.size(pointer)?).map(|i| T::read(self, &format!("{}/{}", pointer, i))).collect()
    }
}

/// The options of a component. [`options!`](crate::options!) implements it.
pub trait Options: Sized {
    /// A JSON Schema, draft 7.
    const SCHEMA: &'static str;
    fn read(config: &Config) -> Result<Self>;
}

/// For components without options.
pub struct NoOptions;

impl Options for NoOptions {
    const SCHEMA: &'static str = r#"{"type": "object", "additionalProperties": false}"#;
    fn read(_: &Config) -> Result<NoOptions> {
        Ok(NoOptions)
    }
}

/// A type that a field of [`options!`](crate::options!) may have.
pub trait OptionType: Sized {
    /// Members of the schema. In a list, the limits of its items follow, and then END.
    const SCHEMA: &'static str;
    /// What ends the schema of the items of a list.
    const END: &'static str = "";
    /// What is allowed besides the elements of one_of, with a comma in front.
    const ALSO: &'static str = "";
    /// The default, as JSON, where the declaration gives none. None: the option is required.
    const DEFAULT: Option<&'static str> = None;
    /// What the JSON text of a default may begin with.
    const BEGINS: &'static str;
    fn read(config: &Config, pointer: &str) -> Result<Self>;
}

/// An option of this type, a list of such, and one that may be null and is null by default.
macro_rules! option_type {
    ($type:ty, $name:literal, $begins:literal, $read:ident) => {
        impl OptionType for $type {
            const SCHEMA: &'static str = concat!(r#""type": ""#, $name, r#"""#);
            const BEGINS: &'static str = $begins;
            fn read(config: &Config, pointer: &str) -> Result<$type> {
                config.$read(pointer)
            }
        }
        impl OptionType for Vec<$type> {
            const SCHEMA: &'static str =
                concat!(r#""type": "array", "items": {"type": ""#, $name, r#"""#);
            const END: &'static str = "}";
            const BEGINS: &'static str = "[";
            fn read(config: &Config, pointer: &str) -> Result<Vec<$type>> {
                config.list(pointer)
            }
        }
        impl OptionType for Option<$type> {
            const SCHEMA: &'static str = concat!(r#""type": [""#, $name, r#"", "null"]"#);
            const ALSO: &'static str = ", null";
            const DEFAULT: Option<&'static str> = Some("null");
            const BEGINS: &'static str = concat!("n", $begins);
            fn read(config: &Config, pointer: &str) -> Result<Option<$type>> {
                Ok(if config.has(pointer)? { Some(config.$read(pointer)?) } else { None })
            }
        }
    };
}
option_type!(bool, "boolean", "tf", boolean);
option_type!(i64, "integer", "-0123456789", integer);
option_type!(f64, "number", "-0123456789", number);
option_type!(String, "string", "\"", string);

/// Declares the options of a component, each once: name, type, limits, default, and as a comment
/// its description. The struct is what [`Component::new`](crate::Component::new) receives.
///
/// ```text
/// broch::options! {
///     pub struct Options {
///         /// The metric to watch.
///         monitor_stat: String [min_length = 1],
///         /// Epochs without progress.
///         patience: i64 [minimum = 1, mutable] = 5,
///     }
/// }
/// ```
///
/// An option without a default is required. Types: bool, i64, f64, String, a Vec of one of these,
/// an Option of one (null by default), [`ChildDataFlow`](crate::ChildDataFlow),
/// [`ChildFunction`](crate::ChildFunction), and whatever implements [`OptionType`]. Defaults are
/// written as in JSON. Between the brackets stand minimum, maximum, exclusive_minimum,
/// exclusive_maximum, min_length, max_length, pattern, min_items, max_items, one_of (a list), and
/// the words path (relative to the file that contains the value), mutable (may change in training)
/// and same_seed. In a list, min_items, max_items, mutable and same_seed are about the list, all
/// others about its elements.
#[macro_export]
macro_rules! options {
    (
        $(#[$attribute:meta])*
        $visible:vis struct $Options:ident {
            $(
                $(#[doc = $line:literal])*
                $name:ident: $type:ty
                $([$($word:ident $(= $limit:expr)?),* $(,)?])?
                $(= $default:expr)?
            ),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        $visible struct $Options {
            $($(#[doc = $line])* pub $name: $type,)*
        }

        impl $Options {
            /// The options as they are now.
            #[allow(dead_code)]
            pub fn read(config: &$crate::Config) -> $crate::Result<Self> {
                <$Options as $crate::Options>::read(config)
            }
        }
        impl $crate::Options for $Options {
            const SCHEMA: &'static str = {
                const PROPERTIES: &str = $crate::concat_text!($(
                    ", \"", $crate::json::plain_name(stringify!($name)), "\": {",
                    <$type as $crate::OptionType>::SCHEMA,
                    $($($crate::option_word!($type, $word $($limit)?),)*)?
                    <$type as $crate::OptionType>::END,
                    $($($crate::outer_word!($word $($limit)?),)*)?
                    $crate::option_default!($type $(, $default)?),
                    ", \"description\": ",
                    $crate::json_string!($crate::json::trimmed(concat!($($line),*))),
                    "}",
                )*);
                const REQUIRED: &str = $crate::concat_text!($(
                    if $crate::option_default!($type $(, $default)?).is_empty() {
                        $crate::concat_text!(
                            ", \"", $crate::json::plain_name(stringify!($name)), "\"",
                        )
                    } else {
                        ""
                    },
                )*);
                $crate::concat_text!(
                    "{\"type\": \"object\", \"properties\": {",
                    $crate::json::as_list(PROPERTIES),
                    "}, \"required\": [",
                    $crate::json::as_list(REQUIRED),
                    "], \"additionalProperties\": false}",
                )
            };
            fn read(config: &$crate::Config) -> $crate::Result<Self> {
                Ok($Options {
                    $($name: <$type as $crate::OptionType>::read(
                        config,
                        $crate::concat_text!("/", $crate::json::plain_name(stringify!($name))),
                    )?,)*
                })
            }
        }
    };
}

/// A limit as a member of the schema, with a comma in front; "" for those of outer_word.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! option_word {
    ($type:ty, path) => { ", \"x-broch-path\": true" };
    ($type:ty, minimum $limit:expr) => { $crate::option_limit!("minimum", $limit) };
    ($type:ty, maximum $limit:expr) => { $crate::option_limit!("maximum", $limit) };
    ($type:ty, exclusive_minimum $limit:expr) => { $crate::option_limit!("exclusiveMinimum", $limit) };
    ($type:ty, exclusive_maximum $limit:expr) => { $crate::option_limit!("exclusiveMaximum", $limit) };
    ($type:ty, min_length $limit:expr) => { $crate::option_limit!("minLength", $limit) };
    ($type:ty, max_length $limit:expr) => { $crate::option_limit!("maxLength", $limit) };
    ($type:ty, pattern $limit:expr) => { $crate::option_limit!("pattern", $limit) };
    ($type:ty, one_of $limit:expr) => {
        $crate::concat_text!(
            ", \"enum\": [", $crate::json::elements(stringify!($limit)),
            <$type as $crate::OptionType>::ALSO, "]",
        )
    };
    ($type:ty, mutable) => { "" };
    ($type:ty, same_seed) => { "" };
    ($type:ty, min_items $limit:expr) => { "" };
    ($type:ty, max_items $limit:expr) => { "" };
}
/// What is about a list as a whole; "" for the rest.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! outer_word {
    (mutable) => { ", \"x-broch-mutable\": true" };
    (same_seed) => { ", \"x-broch-same-seed\": true" };
    (min_items $limit:expr) => { $crate::option_limit!("minItems", $limit) };
    (max_items $limit:expr) => { $crate::option_limit!("maxItems", $limit) };
    ($other:ident $($limit:expr)?) => { "" };
}
#[doc(hidden)]
#[macro_export]
macro_rules! option_limit {
    ($key:literal, $limit:expr) => {
        $crate::concat_text!(", \"", $key, "\": ", $crate::json::checked(stringify!($limit)))
    };
}

/// The default as a member of the schema; "" if there is none.
#[doc(hidden)]
#[macro_export]
macro_rules! option_default {
    ($type:ty, $default:expr) => {
        $crate::concat_text!(
            ", \"default\": ",
            $crate::json::checked_default(
                stringify!($default),
                <$type as $crate::OptionType>::BEGINS
            ),
        )
    };
    ($type:ty) => {
        $crate::concat_text!(
            match <$type as $crate::OptionType>::DEFAULT {
                Some(_) => ", \"default\": ",
                None => "",
            },
            match <$type as $crate::OptionType>::DEFAULT {
                Some(text) => text,
                None => "",
            },
        )
    };
}
