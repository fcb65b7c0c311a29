//! plugin!: the one symbol that a library exports, and its metadata.

/// For statics that contain pointers to constants. Nobody writes to them.
#[doc(hidden)]
#[repr(transparent)]
pub struct Exported<T>(pub T);
unsafe impl<T> Sync for Exported<T> {}

/// Makes a plugin of components. Each has its type, its roles (the first is the one under which a
/// manifest lists it; the metadata has all of them), and its metadata, of which everything after
/// the summary may be left out:
///
/// ```text
/// broch::plugin! {
///     StopOnPlateau: Callback + Stateful {
///         id: "org.example.stop-on-plateau",
///         version: "1.0.0",
///         summary: "Ends training when a number stops getting smaller.",
///         requires_ext: ["broch.metrics/1"],
///         produces: ["mean_{value}"],
///         consumes: ["{monitor_stat}"],
///         run_on: "chief",
///     }
/// }
/// ```
///
/// Others that only one role has may follow, in the order in which entry.h describes them: needs,
/// default_input, requires_input, staged_by, evaluates, metric_prefix, triggers_at_end,
/// check_creates, reorders, extensions. The schema of the options comes from the type.
#[macro_export]
macro_rules! plugin {
    ($(
        $component:ident: $role:ident $(+ $more:ident)* {
            id: $id:literal,
            version: $version:literal,
            summary: $summary:literal
            $(, requires_ext: [$($ext:literal),* $(,)?])?
            $(, produces: [$($produced:literal),* $(,)?])?
            $(, consumes: [$($consumed:literal),* $(,)?])?
            $(, run_on: $run_on:literal)?
            $(, needs: [$($need:literal),* $(,)?])?
            $(, default_input: $default_input:literal)?
            $(, requires_input: $requires_input:literal)?
            $(, staged_by: $staged_by:literal)?
            $(, evaluates: $evaluates:literal)?
            $(, metric_prefix: $metric_prefix:literal)?
            $(, triggers_at_end: $option_for_end:literal)?
            $(, check_creates: $check_creates:literal)?
            $(, reorders: $reorders:literal)?
            $(, extensions: [$($extension:literal),* $(,)?])?
            $(,)?
        }
    )+) => {
        const _: () = {
            const COMPONENTS: &str = $crate::concat_text!($(
                ", {\"id\": ", $crate::json_string!($id),
                ", \"role\": \"", <$crate::tables::$role<$component> as $crate::Provides>::NAME,
                "\", \"roles\": [", $crate::json::as_list($crate::role_list!(
                    <$crate::tables::$role<$component> as $crate::Provides>::NAME
                    $(, <$crate::tables::$more<$component> as $crate::Provides>::NAME)*
                )),
                "], \"version\": ", $crate::json_string!($version),
                ", \"summary\": ", $crate::json_string!($summary),
                $(", \"requires_ext\": ", $crate::json_list!($($ext),*),)?
                $(", \"produces\": ", $crate::json_list!($($produced),*),)?
                $(", \"consumes\": ", $crate::json_list!($($consumed),*),)?
                $(", \"run_on\": ", $crate::json_string!($run_on),)?
                $(", \"needs\": ", $crate::json_list!($($need),*),)?
                $(", \"default_input\": ", $crate::json_string!($default_input),)?
                $(", \"requires_input\": ", $crate::json_string!($requires_input),)?
                $(", \"staged_by\": ", $crate::json_string!($staged_by),)?
                $(", \"evaluates\": ", stringify!($evaluates),)?
                $(", \"metric_prefix\": ", $crate::json_string!($metric_prefix),)?
                $(", \"triggers_at_end\": ", $crate::json_string!($option_for_end),)?
                $(", \"check_creates\": ", stringify!($check_creates),)?
                $(", \"reorders\": ", $crate::json_string!($reorders),)?
                $(", \"extensions\": ", $crate::json_list!($($extension),*),)?
                ", \"options\": ",
                <<$component as $crate::Component>::Options as $crate::Options>::SCHEMA,
                "}",
            )+);
            const META: &str = $crate::concat_text!(
                "{\"components\": [", $crate::json::as_list(COMPONENTS), "]}\0",
            );
            #[used]
            #[link_section = ".broch.meta"]
            static META_TEXT: [u8; META.len()] = $crate::json::joined(&[META]);

            static LIST: [$crate::Exported<$crate::sys::broch_component>;
                [$($id),+].len()] = [$({
                use std::os::raw::{c_char, c_void};
                unsafe extern "C" fn get_interface(
                    this: *mut c_void,
                    id: *const c_char,
                ) -> *const c_void {
                    let id = std::ffi::CStr::from_ptr(id);
                    let tables = [
                        $crate::tables::find::<$crate::tables::$role<$component>>(this, id),
                        $($crate::tables::find::<$crate::tables::$more<$component>>(this, id),)*
                    ];
                    tables.into_iter().find(|table| !table.is_null()).unwrap_or(std::ptr::null())
                }
                static VTABLE: $crate::sys::broch_component_vtable =
                    $crate::sys::broch_component_vtable {
                        struct_size: std::mem::size_of::<$crate::sys::broch_component_vtable>()
                            as u32,
                        reserved: 0,
                        create: Some($crate::border::create::<$component>),
                        get_interface: Some(get_interface),
                        destroy: Some($crate::border::destroy::<$component>),
                    };
                const ID: &str = concat!($id, "\0");
                const ROLE: &str = $crate::concat_text!(
                    <$crate::tables::$role<$component> as $crate::Provides>::NAME, "\0",
                );
                $crate::Exported($crate::sys::broch_component {
                    id: ID.as_ptr() as *const c_char,
                    role: ROLE.as_ptr() as *const c_char,
                    vtable: &VTABLE,
                })
            }),+];

            #[no_mangle]
            #[allow(non_upper_case_globals)]
            pub static broch_entry_v1: $crate::Exported<$crate::sys::broch_entry> =
                $crate::Exported($crate::sys::broch_entry {
                    magic: $crate::sys::BROCH_ENTRY_MAGIC,
                    struct_size: std::mem::size_of::<$crate::sys::broch_entry>() as u32,
                    abi_major: $crate::sys::BROCH_ABI_MAJOR as u32,
                    abi_minor: $crate::sys::BROCH_ABI_MINOR as u32,
                    min_host_minor: 0,
                    flags: 0,
                    meta_json: META_TEXT.as_ptr() as *const std::os::raw::c_char,
                    component_count: LIST.len() as u64,
                    components: LIST.as_ptr() as *const $crate::sys::broch_component,
                });
        };
    };
}

/// names, each as `, "NAME"`, without those that are no roles and those that stand before.
#[doc(hidden)]
pub const fn roles_in<const N: usize>(mut names: [&'static str; N]) -> [&'static str; N] {
    const OTHERS: &[&str] = &[", \"state\"", ", \"options\"", ", \"service\""];
    let mut i = 0;
    while i < N {
        let (mut known, mut k) = (crate::tables::overrides(OTHERS, names[i]), 0);
        while k < i {
            known |= crate::tables::overrides(&[names[k]], names[i]);
            k += 1;
        }
        if known {
            names[i] = "";
        }
        i += 1;
    }
    names
}
#[doc(hidden)]
#[macro_export]
macro_rules! role_list {
    ($($name:expr),*) => {{
        const NAMES: &[&str] =
            &$crate::roles_in([$($crate::concat_text!(", \"", $name, "\"")),*]);
        const BYTES: [u8; $crate::json::total(NAMES)] = $crate::json::joined(NAMES);
        // Safety: texts one after the other are a text.
        const TEXT: &str = unsafe { std::str::from_utf8_unchecked(&BYTES) };
        TEXT
    }};
}

/// A list of constant texts as JSON.
#[doc(hidden)]
#[macro_export]
macro_rules! json_list {
    ($($text:expr),*) => {
        $crate::concat_text!(
            "[",
            $crate::json::as_list($crate::concat_text!($(", ", $crate::json_string!($text),)*)),
            "]",
        )
    };
}
