use super::*;
use testkit::symlink;

fn make(at: &Path, data: &[PathBuf], journal: Option<&Path>) -> Marker {
    Marker::create(at, "sqlite", "RAN", "now".into(), Bytes(8192), data, journal, None, true).unwrap()
}

/// Copies a directory with its contents.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (entry, to) = (entry.unwrap().path(), to.to_owned());
        let to = to.join(entry.file_name().unwrap());
        if entry.is_dir() {
            copy(&entry, &to);
        } else {
            fs::copy(&entry, &to).unwrap();
        }
    }
}

fn refusal(at: &Path) -> String {
    let refused = Marker::open(at).unwrap_err();
    assert!(matches!(refused, DbError::Refused { .. }), "{refused}");
    refused.to_string()
}

#[test]
fn a_database_is_found_again_and_purged_without_a_trace() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().join("ran");
    let mut marker = make(&at, &[], None);
    assert_eq!(Marker::open(&at).unwrap(), marker);
    let text = fs::read_to_string(at.join(MARKER)).unwrap();
    assert!(text.contains("\"data\"") && !text.contains(&format!("{}/data", at.display())), "{text}");
    marker.begun = 1;
    fs::write(marker.directories.data[0].join("g1.db"), "").unwrap();
    assert_eq!(marker.purge(&at).unwrap(), Vec::<String>::new());
    assert!(!at.exists());
}

#[test]
fn only_what_was_made_is_removed_and_the_rest_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (at, d1, d2) = (dir.path().join("ran"), dir.path().join("d1"), dir.path().join("d2"));
    for d in [&d1, &d2] {
        fs::create_dir(d).unwrap();
        fs::write(d.join("precious"), "p").unwrap();
    }
    let mut marker = make(&at, std::slice::from_ref(&d1), Some(&d2));
    let decoy = d1.join("secchi-RAN-00000000-data1");
    fs::create_dir(&decoy).unwrap();
    fs::write(at.join("mine.txt"), "m").unwrap();
    let data_dir = marker.directories.data[0].clone();
    fs::write(data_dir.join("notes.txt"), "n").unwrap();
    fs::create_dir(data_dir.join("sub")).unwrap();
    fs::write(data_dir.join("sub/g1.db"), "n").unwrap();
    // The creation of global 9 was never started, and the file of global 2 does not have secchi's signature.
    fs::write(data_dir.join("g9.db"), "n").unwrap();
    fs::write(
        data_dir.join("g2.db"),
        "SQLite format 3\0 of somebody else's, and long enough to have a header, one hundred bytes of it .....",
    )
    .unwrap();
    marker.begun = 2;
    // Another directory has replaced the directory of the journal.
    fs::remove_dir_all(&marker.directories.journal).unwrap();
    fs::create_dir(&marker.directories.journal).unwrap();
    fs::write(marker.directories.journal.join("theirs"), "t").unwrap();
    assert!(Marker::open_to_purge(&at).unwrap_err().to_string().contains("stamp"));
    let left = marker.purge(&at).unwrap();
    assert!(left.len() == 5 && left.iter().any(|l| l.contains("stamp")), "{left:?}");
    for kept in ["notes.txt", "sub/g1.db", "g9.db", "g2.db"] {
        assert!(data_dir.join(kept).exists(), "{kept}");
    }
    assert!(marker.directories.journal.join("theirs").exists() && decoy.exists() && at.join("mine.txt").exists());
    assert!(d1.join("precious").exists() && d2.join("precious").exists() && !marker.directories.work.exists());
    // After the foreign files have been moved away, the rest is removed.
    for gone in ["notes.txt", "g9.db", "g2.db"] {
        fs::remove_file(data_dir.join(gone)).unwrap();
    }
    fs::remove_dir_all(data_dir.join("sub")).unwrap();
    fs::remove_dir_all(&marker.directories.journal).unwrap();
    assert!(refusal(&at).contains("purge was started"));
    let left = Marker::open_to_purge(&at).unwrap().purge(&at).unwrap();
    assert!(left.len() == 1 && left[0].contains("cannot remove") && !data_dir.exists(), "{left:?}");
}

#[test]
fn a_directory_with_something_in_it_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("x"), "x").unwrap();
    let refused =
        Marker::create(dir.path(), "sqlite", "RAN", "now".into(), Bytes(8192), &[], None, None, true).unwrap_err();
    assert!(refused.to_string().contains("not empty"), "{refused}");
    assert!(!dir.path().join(MARKER).exists());
}

#[test]
fn a_copy_is_told_as_one_and_adopted_and_a_moved_one_stays_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (at, other, moved) = (dir.path().join("ran"), dir.path().join("copy"), dir.path().join("moved"));
    let original = make(&at, &[], None);
    copy(&at, &other);
    let refused = refusal(&other);
    assert!(refused.contains("a copy of the database RAN") && refused.contains("secchi db adopt"), "{refused}");
    assert!(Marker::read_proven(&other).is_err() && Marker::open_to_purge(&other).is_err());
    assert!(Marker::from_copy(&at).unwrap_err().to_string().contains("not a copy"));
    let mut adopted = Marker::from_copy(&other).unwrap();
    adopted.adopt(&other).unwrap();
    assert_eq!(Marker::open(&other).unwrap(), adopted);
    assert!(
        adopted.uuid != original.uuid
            && adopted.directories.work == sys::files::canonical(&other).unwrap().join("work")
    );
    assert_eq!(Marker::open(&at).unwrap(), original);
    // Only the data directory was restored.
    copy(&at.join("data"), &dir.path().join("data"));
    fs::remove_dir_all(at.join("data")).unwrap();
    fs::rename(dir.path().join("data"), at.join("data")).unwrap();
    assert!(refusal(&at).contains("adopt"));
    Marker::from_copy(&at).unwrap().adopt(&at).unwrap();
    Marker::open(&at).unwrap();
    fs::rename(&at, &moved).unwrap();
    let mut opened = Marker::open(&moved).unwrap();
    let (home, was) = (sys::files::canonical(&moved).unwrap(), at);
    assert_eq!(opened.moved_from(&home).unwrap().file_name(), was.file_name());
    assert_eq!(opened.directories.data[0], home.join("data"));
    opened.update_location(&home).unwrap();
    assert_eq!(Marker::open(&moved).unwrap().moved_from(&home), None);
    // The device number changes, as after a restart.
    for identity in opened.identities.iter_mut().chain(opened.home.as_mut().map(|h| &mut h.identity)) {
        identity.device += 1;
    }
    opened.save(&moved).unwrap();
    Marker::open(&moved).unwrap();
}

#[test]
fn a_disk_that_was_copied_whole_is_told_where_the_original_is_at_hand() {
    let dir = tempfile::tempdir().unwrap();
    let (at, other) = (dir.path().join("ran"), dir.path().join("copy"));
    let original = make(&at, &[], None);
    copy(&at, &other);
    // On a copied disk, every directory keeps its inode number and birth time.
    let home = sys::files::canonical(&other).unwrap();
    let mut marker = Marker::read(&other).unwrap().0;
    marker.stamp_directories(&home).unwrap();
    marker.home.as_mut().unwrap().path.clone_from(&original.home.as_ref().unwrap().path);
    marker.save(&home).unwrap();
    let refused = refusal(&other);
    assert!(refused.contains("a copy of the database") && refused.contains("adopt"), "{refused}");
    fs::rename(&at, dir.path().join("unmounted")).unwrap();
    Marker::open(&other).unwrap();
}

#[test]
fn a_copy_whose_rooms_are_the_originals_is_never_adopted() {
    let dir = tempfile::tempdir().unwrap();
    let (at, other, d1) = (dir.path().join("ran"), dir.path().join("copy"), dir.path().join("d1"));
    fs::create_dir(&d1).unwrap();
    make(&at, std::slice::from_ref(&d1), None);
    copy(&at, &other);
    for refused in [refusal(&other), Marker::from_copy(&other).unwrap_err().to_string()] {
        assert!(refused.contains("belong to the original") && refused.contains(d1.to_str().unwrap()), "{refused}");
    }
    Marker::open(&at).unwrap();
}

#[test]
fn rooms_that_lead_elsewhere_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let foreign = dir.path().join("theirs");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("g1.db"), "t").unwrap();
    let fresh = |name: &str| {
        let at = dir.path().join(name);
        (make(&at, &[], None), at)
    };
    let (marker, at) = fresh("link");
    fs::remove_dir_all(&marker.directories.data[0]).unwrap();
    let Ok(()) = symlink(&foreign, &marker.directories.data[0]) else {
        testkit::skip!("no symbolic link can be made here")
    };
    assert!(refusal(&at).contains("symbolic link"));
    let (mut marker, at) = fresh("edited");
    marker.directories.data = vec![foreign.clone()];
    marker.directories.journal.clone_from(&foreign);
    marker.save(&at).unwrap();
    assert!(refusal(&at).contains("stamp"));
    // The stamp is copied there, too.
    fs::copy(at.join("work").join(STAMP), foreign.join(STAMP)).unwrap();
    assert!(refusal(&at).contains("copy"));
    let (marker, at) = fresh("file");
    symlink(foreign.join("g1.db"), marker.directories.data[0].join("g1.db")).unwrap();
    assert!(refusal(&at).contains("symbolic link to"));
    let (marker, at) = fresh("hard");
    fs::hard_link(foreign.join("g1.db"), marker.directories.data[0].join("g1.db")).unwrap();
    assert!(refusal(&at).contains("another name"));
    let (marker, at) = fresh("other");
    let (second, _) = fresh("second");
    fs::remove_dir_all(&marker.directories.data[0]).unwrap();
    fs::rename(&second.directories.data[0], &marker.directories.data[0]).unwrap();
    assert!(refusal(&at).contains("another database"));
}

#[test]
fn markers_of_another_form_are_rejected_and_left_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().join("ran");
    make(&at, &[], None);
    let text = r#"{"form": 2, "uuid": "f86a6882-7b87-413b-9150-c8c312d9a8d7", "rooms": {"data": ["data"]}}"#;
    fs::write(at.join(MARKER), text).unwrap();
    let refusals = [refusal(&at), Marker::from_copy(&at).unwrap_err().to_string()];
    for refused in refusals.into_iter().chain([Marker::open_to_purge(&at).unwrap_err().to_string()]) {
        assert!(refused.contains("form 2") && refused.contains("the secchi that created it"), "{refused}");
    }
    assert_eq!(fs::read_to_string(at.join(MARKER)).unwrap(), text);
}
