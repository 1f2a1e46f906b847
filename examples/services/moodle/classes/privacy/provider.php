<?php
namespace local_pando\privacy;

use core_privacy\local\metadata\collection;

/** What is kept of people. */
final class provider implements \core_privacy\local\metadata\provider {
    public static function get_metadata(collection $collection): collection {
        $collection->add_database_table('local_pando_person', ['userid' => 'privacy:metadata:person:userid'], 'privacy:metadata:person');
        $collection->add_database_table('local_pando_family', [
            'person' => 'privacy:metadata:family:person', 'claims' => 'privacy:metadata:family:claims'], 'privacy:metadata:family');
        return $collection;
    }
}
