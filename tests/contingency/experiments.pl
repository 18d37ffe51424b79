# Replays experiments through the original module: JSON in, JSON out, in one process.
use strict;
use warnings;
use JSON::PP;
use Statistics::Contingency;

my @statistics = qw(accuracy error precision recall F1);
my $json = JSON::PP->new->utf8->canonical;

# All 17 digits, as text: JSON::PP writes 15.
sub number { return sprintf '%.17g', $_[0] }

sub answers {
    my ($experiment, $figures) = @_;
    my %answers = (entries => [map { number($experiment->{$_}) } qw(a b c d)]);
    foreach my $statistic (@statistics) {
        my $micro = "micro_$statistic";
        my $macro = "macro_$statistic";
        $answers{$micro} = number($experiment->$micro);
        $answers{$macro} = number($experiment->$macro);
    }
    my $stats = $experiment->category_stats;
    foreach my $category (keys %$stats) {
        foreach my $name (qw(a b c d), @statistics) {
            $answers{category_stats}{$category}{$name} = number($stats->{$category}{$name});
        }
    }
    foreach my $figs (@$figures) {
        $answers{"stats_table($figs)"} = $experiment->stats_table($figs eq '' ? () : $figs);
    }
    return \%answers;
}

sub replay {
    my ($record, $figures) = @_;
    my $experiment = Statistics::Contingency->new(categories => $record->{categories}, verbose => 1);
    my $printed = '';
    open my $writer, '>:encoding(UTF-8)', \$printed or die $!;
    my $stdout = select $writer;
    foreach my $operation (@{ $record->{operations} }) {
        if ($operation->{op} eq 'set_entries') {
            $experiment->set_entries(@{ $operation->{args} });
        }
        else {
            no warnings 'uninitialized';    # undef stands for no category
            $experiment->add_result(@$operation{qw(assigned correct name)});
        }
    }
    select $stdout;
    close $writer;
    utf8::decode($printed);
    return { printed => $printed, results => answers($experiment, $figures) };
}

my $given = do { local $/; $json->decode(scalar <STDIN>) };
print $json->encode([map { replay($_, $given->{figures}) } @{ $given->{experiments} }]);
