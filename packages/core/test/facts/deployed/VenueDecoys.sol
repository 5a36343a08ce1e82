// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Places that look like exchanges, and are none, or are others than they look like. The shapes of Uniswap's calls, written down
// again: nothing of its sources is compiled here.

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function balanceOf(address account) external view returns (uint256);
}

interface IPair {
    function initialize(address token0, address token1) external;
    function mint(address to) external returns (uint256);
}

interface IPool {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function initialize(uint160 sqrtPriceX96) external;
    function mint(address to, int24 lower, int24 upper, uint128 amount, bytes calldata data)
        external
        returns (uint256, uint256);
}

abstract contract Announcer {
    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);
    event PoolCreated(
        address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool
    );
    event Initialize(
        bytes32 indexed id,
        address indexed currency0,
        address indexed currency1,
        uint24 fee,
        int24 tickSpacing,
        address hooks,
        uint160 sqrtPriceX96,
        int24 tick
    );

    function sorted(address a, address b) internal pure returns (address, address) {
        return a < b ? (a, b) : (b, a);
    }

    function create2(bytes memory creation, bytes32 salt) internal returns (address made) {
        assembly {
            made := create2(0, add(creation, 32), mload(creation), salt)
        }
        require(made != address(0), "nothing was made");
    }
}

/// A factory of its maker's own, which announces whatever it is given.
contract FalseFactory is Announcer {
    mapping(address token => mapping(address other => address)) public getPair;
    address[] public allPairs;

    function feeTo() external pure returns (address) {
        return address(0);
    }

    function allPairsLength() external view returns (uint256) {
        return allPairs.length;
    }

    function announce(address a, address b, address pair) public {
        (address token0, address token1) = sorted(a, b);
        getPair[token0][token1] = getPair[token1][token0] = pair;
        allPairs.push(pair);
        emit PairCreated(token0, token1, pair, allPairs.length);
    }

    function open(address token, address coin, uint256 ofToken, uint256 ofCoin, bool buysBack)
        external
        returns (address pair)
    {
        pair = address(new FalsePair(token, coin, ofToken, ofCoin, buysBack));
        announce(token, coin, pair);
    }

    /// Events of all three forms, about pools with tokens that are nowhere.
    function spam(address token, uint256 first, uint256 count) external {
        for (uint256 i = first; i < first + count; i++) {
            address other = address(uint160(uint256(keccak256(abi.encode(token, i)))));
            address pool = address(uint160(uint256(keccak256(abi.encode(other, i)))));
            (address token0, address token1) = sorted(token, other);
            emit PairCreated(token0, token1, pool, i);
            if (i % 4 != 0) continue;
            emit PoolCreated(token0, token1, 3000, 60, pool);
            bytes32 id = keccak256(abi.encode(token0, token1, uint24(3000), int24(60), address(0)));
            emit Initialize(id, token0, token1, 3000, 60, address(0), uint160(2 ** 96), 0);
        }
    }
}

/// Says that it holds whatever it was made with. Gives out what is taken, or the token alone.
contract FalsePair {
    address public immutable factory = msg.sender;
    address public immutable token0;
    address public immutable token1;
    uint256 public constant totalSupply = 1e24;
    address private immutable token;
    uint112 private immutable reserve0;
    uint112 private immutable reserve1;
    bool private immutable buysBack;

    constructor(address token_, address coin, uint256 ofToken, uint256 ofCoin, bool buysBack_) {
        bool isFirst = token_ < coin;
        (token0, token1) = isFirst ? (token_, coin) : (coin, token_);
        (reserve0, reserve1) = isFirst ? (uint112(ofToken), uint112(ofCoin)) : (uint112(ofCoin), uint112(ofToken));
        token = token_;
        buysBack = buysBack_;
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, uint32(block.timestamp));
    }

    function balanceOf(address account) external pure returns (uint256) {
        return account == 0x000000000000000000000000000000000000dEaD ? totalSupply : 0;
    }

    function swap(uint256 amount0, uint256 amount1, address to, bytes calldata) external {
        if (amount0 > 0) give(token0, to, amount0);
        if (amount1 > 0) give(token1, to, amount1);
    }

    function give(address what, address to, uint256 amount) private {
        require(buysBack || what == token, "K");
        require(IToken(what).transfer(to, amount));
    }

    function sync() external {}
    function skim(address) external {}
}

/// Makes a pair of the published build, has it take up two tokens in plenty, and gives it other tokens then.
contract RenamingFactory is Announcer {
    function feeTo() external pure returns (address) {
        return address(0);
    }

    function open(bytes calldata creation, address token, address coin, address[2] calldata plenty)
        external
        returns (address pair)
    {
        (address token0, address token1) = sorted(token, coin);
        pair = create2(creation, keccak256(abi.encodePacked(token0, token1)));
        (address first, address second) = sorted(plenty[0], plenty[1]);
        IPair(pair).initialize(first, second);
        IToken(first).transfer(pair, IToken(first).balanceOf(address(this)));
        IToken(second).transfer(pair, IToken(second).balanceOf(address(this)));
        IPair(pair).mint(msg.sender);
        IPair(pair).initialize(token0, token1);
        emit PairCreated(token0, token1, pair, 1);
    }

    function rename(IPair pair, address token0, address token1) external {
        pair.initialize(token0, token1);
    }
}

/// Has the functions of a wrapped coin. Its maker makes as many as he likes; others get nothing back where it is blocked.
contract FalseCoin {
    string public constant name = "Wrapped Ether";
    string public constant symbol = "WETH";
    uint8 public constant decimals = 18;
    address private immutable maker = msg.sender;
    bool private immutable isBlocked;
    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;

    event Approval(address indexed src, address indexed guy, uint256 wad);
    event Transfer(address indexed src, address indexed dst, uint256 wad);
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    constructor(bool isBlocked_) {
        isBlocked = isBlocked_;
    }

    receive() external payable {
        deposit();
    }

    function totalSupply() external view returns (uint256) {
        return address(this).balance;
    }

    function mint(uint256 amount) external {
        require(msg.sender == maker);
        balanceOf[msg.sender] += amount;
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        require(!isBlocked || msg.sender == maker);
        balanceOf[msg.sender] -= amount;
        (bool paid,) = msg.sender.call{value: amount}("");
        require(paid);
        emit Withdrawal(msg.sender, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return transferFrom(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) public returns (bool) {
        if (from != msg.sender && allowance[from][msg.sender] != type(uint256).max) {
            allowance[from][msg.sender] -= amount;
        }
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }
}

/// Becomes what a creation code would have made, with other values in its storage. The creation code is the code at `build`.
abstract contract Forged is Announcer {
    struct Write {
        bytes32 slot;
        bytes32 value;
    }

    function become(address build, Write[] memory writes) internal {
        (bool made, bytes memory code) = build.delegatecall("");
        require(made, "not built");
        for (uint256 i = 0; i < writes.length; i++) {
            Write memory write = writes[i];
            (bytes32 slot, bytes32 value) = (write.slot, write.value);
            assembly {
                sstore(slot, value)
            }
        }
        assembly {
            return(add(code, 32), mload(code))
        }
    }
}

/// The published wrapped coin, in which accounts have what nobody paid in.
contract ForgedCoin is Forged {
    constructor(address build, Write[] memory writes) {
        become(build, writes);
    }
}

/// A published factory with a pair of the published build at the address of two tokens, which has another one of them.
contract ForgedFactory is Forged {
    constructor(address build, bytes memory creation, address token, address coin, address other) {
        (address token0, address token1) = sorted(token, coin);
        address pair = create2(creation, keccak256(abi.encodePacked(token0, token1)));
        IPair(pair).initialize(token0 == token ? token : other, token0 == token ? other : token);
        emit PairCreated(token0, token1, pair, 1);
        become(build, new Write[](0));
    }
}

/// The published manager of pools, with a pool that nobody paid into.
contract ForgedManager is Forged {
    constructor(address build, Write[] memory writes, address currency0, address currency1, uint160 price) {
        bytes32 id = keccak256(abi.encode(currency0, currency1, uint24(3000), int24(60), address(0)));
        emit Initialize(id, currency0, currency1, 3000, 60, address(0), price, 0);
        become(build, writes);
    }
}

/// Makes pools of the published build, which take the tokens that it names while it makes them.
contract PoolDeployer is Announcer {
    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    Parameters public parameters;
    address public immutable owner = msg.sender;

    function make(address build, address token, address named, address other) public returns (address pool) {
        bytes memory creation = build.code;
        (address token0, address token1) = sorted(token, named);
        bool isFirst = token0 == token;
        parameters = Parameters(address(this), isFirst ? token : other, isFirst ? other : token, 3000, 60);
        pool = create2(creation, keccak256(abi.encode(token0, token1, uint24(3000))));
        delete parameters;
        emit PoolCreated(token0, token1, 3000, 60, pool);
    }

    function open(address build, address token, address coin, uint160 price, int24[2] calldata range, uint128 liquidity)
        external
        returns (address pool)
    {
        pool = make(build, token, coin, coin);
        fill(pool, price, range, liquidity);
    }

    /// Pays into any pool, by what this contract has.
    function fill(address pool, uint160 price, int24[2] calldata range, uint128 liquidity) public {
        IPool(pool).initialize(price);
        bytes memory tokens = abi.encode(IPool(pool).token0(), IPool(pool).token1());
        IPool(pool).mint(msg.sender, range[0], range[1], liquidity, tokens);
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
        (address token0, address token1) = abi.decode(data, (address, address));
        if (amount0 > 0) IToken(token0).transfer(msg.sender, amount0);
        if (amount1 > 0) IToken(token1).transfer(msg.sender, amount1);
    }

    function end() external {
        selfdestruct(payable(msg.sender));
    }
}

/// Makes a contract of what its maker names, always at the same address, and ends.
contract Cradle {
    address public immutable child;

    constructor() {
        bytes memory creation = Metamorphosis(msg.sender).next().code;
        address made;
        assembly {
            made := create(0, add(creation, 32), mload(creation))
        }
        require(made != address(0), "nothing was made");
        child = made;
    }

    function end() external {
        selfdestruct(payable(msg.sender));
    }
}

/// Has one code make a pool and end within the transaction, and puts the published factory in its place.
contract Metamorphosis is Announcer {
    address public next;

    function make(address liar, address pool, address token, address coin, address other) external {
        next = liar;
        Cradle cradle = new Cradle{salt: 0}();
        PoolDeployer deployer = PoolDeployer(cradle.child());
        deployer.make(pool, token, coin, other);
        deployer.end();
        cradle.end();
    }

    function finish(address factory) external returns (address) {
        next = factory;
        return new Cradle{salt: 0}().child();
    }
}
